// Which files of an upload are there already: found before anything is sent, so that one question covers them all. What
// appears later is still refused by the server, and asked about then. Pure, except for the listing of folders.
import type { UploadPlan } from "./plan";

/** An entry of a target folder. */
export interface Present {
  name: string;
  isDir: boolean;
  size: number;
  modified: string;
}

/** The file that an upload would replace. */
export interface Existing {
  size: number;
  modified: string;
  /** A path beside it that is free. */
  spare: string;
}

/** Folders that are looked into at most; the rest is left to the server's answers. */
const mostFolders = 50;

/** `a.txt` becomes `a(1).txt`, as the server numbers copies. */
export function numbered(path: string, number: number): string {
  const slash = path.lastIndexOf("/") + 1;
  const name = path.slice(slash);
  const dot = name.lastIndexOf(".");
  const stem = dot > 0 ? name.slice(0, dot) : name;
  return `${path.slice(0, slash)}${stem}(${number})${name.slice(stem.length)}`;
}

function spareFor(path: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const spare = numbered(path, number);
    if (!taken.has(spare)) return spare;
  }
}

/** Returns the plan with what is there; `list` answers nothing for a folder that it could not read. */
export async function withExisting(
  plan: UploadPlan,
  folder: string,
  list: (folder: string) => Promise<readonly Present[] | null>,
): Promise<UploadPlan> {
  const folders = [folder];
  const known = new Map<string, Present>();
  /** Also those of this upload, which must not take each other's names. */
  const taken = new Set(plan.jobs.map(({ path }) => path));
  const planned = new Set(plan.jobs.filter(({ file }) => file.isDir).map(({ path }) => path));
  for (let at = 0; at < folders.length && at < mostFolders; at += 1) {
    const place = folders[at] ?? folder;
    for (const present of (await list(place)) ?? []) {
      const path = `${place}${present.name}${present.isDir ? "/" : ""}`;
      known.set(path, present);
      taken.add(path);
      if (planned.has(path)) folders.push(path);
    }
  }
  const jobs = plan.jobs.map((job) => {
    const present = job.file.isDir || job.resumes ? undefined : known.get(job.path);
    if (!present) return job;
    const spare = spareFor(job.path, taken);
    taken.add(spare);
    return { ...job, existing: { size: present.size, modified: present.modified, spare } };
  });
  return { ...plan, jobs };
}
