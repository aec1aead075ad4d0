// Converts picked or dropped entries to upload jobs: one entry in the panel for each top-level file or folder, one job
// for each folder to be created and for each file. Pure.
import { fileIn, folderIn } from "../disk-paths";
import type { Existing } from "./existing";
import type { Measured } from "./measure";

/** One line of the panel. */
export interface UploadEntry {
  id: string;
  name: string;
  isDir: boolean;
  /** The target folder. */
  folder: string;
  /** When a single file was last changed, in milliseconds; 0 for folders. */
  modified: number;
}

export interface UploadJob {
  id: string;
  entry: string;
  /** Its destination; a folder's ends with a slash. */
  path: string;
  file: { size: number; isDir: boolean; content: File | null };
  overwrite: boolean;
  /** Resumes an upload that a reload interrupted. */
  resumes: boolean;
  /** The job that makes the folder, which must have finished first. */
  after: string | null;
  /** The file that it would replace, if that is known before. */
  existing: Existing | null;
}

export interface UploadPlan {
  entries: UploadEntry[];
  jobs: UploadJob[];
}

export function planUpload(
  picked: readonly Measured[],
  folder: string,
  newId: () => string,
  resumes = false,
): UploadPlan {
  const plan: UploadPlan = { entries: [], jobs: [] };
  const entryOf = new Map<string, UploadEntry>();
  const folderJobs = new Map<string, UploadJob>();

  /** Cheaper than a random id: ten thousand of those would take as long as a frame. */
  const jobId = (entry: UploadEntry) => `${entry.id} ${plan.jobs.length}`;

  const enter = (name: string, isDir: boolean, modified: number): UploadEntry => {
    const known = isDir ? entryOf.get(name) : undefined;
    if (known) return known;
    const entry = { id: newId(), name, isDir, folder, modified };
    plan.entries.push(entry);
    if (isDir) entryOf.set(name, entry);
    return entry;
  };

  const makeFolders = (names: readonly string[], entry: UploadEntry): UploadJob | null => {
    let parent: UploadJob | null = null;
    let path = folder;
    for (const name of names) {
      path = folderIn(path, name);
      const known: UploadJob | undefined = folderJobs.get(path);
      const job: UploadJob = known ?? {
        id: jobId(entry),
        entry: entry.id,
        path,
        file: { size: 0, isDir: true, content: null },
        overwrite: false,
        resumes,
        after: parent?.id ?? null,
        existing: null,
      };
      if (!known) {
        folderJobs.set(path, job);
        plan.jobs.push(job);
      }
      parent = job;
    }
    return parent;
  };

  for (const { names, file, size, modified } of picked) {
    const [top = ""] = names;
    const isDir = file === null || names.length > 1;
    const entry = enter(top, isDir, modified);
    const above = file === null ? names : names.slice(0, -1);
    const parent = makeFolders(above, entry);
    if (file === null) continue;
    plan.jobs.push({
      id: jobId(entry),
      entry: entry.id,
      path: fileIn(parent?.path ?? folder, names.at(-1) ?? file.name),
      file: { size, isDir: false, content: file },
      overwrite: false,
      resumes,
      after: parent?.id ?? null,
      existing: null,
    });
  }
  return plan;
}
