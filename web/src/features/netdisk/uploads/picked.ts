// The browser's picked or dropped entries as a flat list. Contents are not read: a `File` is only a handle until it is
// sent.
import { namesOf } from "../disk-paths";

/** One file, or one folder without its content, with its path below the picked entry. */
export interface Picked {
  names: readonly string[];
  /** `null` for a folder. */
  file: File | null;
}

export function pickedFromInput(files: readonly File[]): Picked[] {
  return files.map((file) => ({
    // Set by folder inputs only: `photos/2026/a.jpg`.
    names: file.webkitRelativePath ? namesOf(file.webkitRelativePath) : [file.name],
    file,
  }));
}

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => {
    entry.file(resolve, reject);
  });

async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    // Browsers answer in parts, and an empty part is the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (part.length === 0) return children;
    children.push(...part);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

async function walk(entry: FileSystemEntry, above: readonly string[], found: Picked[]): Promise<void> {
  const names = [...above, entry.name];
  if (isFile(entry)) found.push({ names, file: await fileOf(entry) });
  if (!isFolder(entry)) return;
  found.push({ names, file: null });
  for (const child of await childrenOf(entry)) await walk(child, names, found);
}

/** Call it in the drop handler itself: the list is emptied as soon as that returns. */
export async function pickedFromDrop(data: Pick<DataTransfer, "items">): Promise<Picked[]> {
  const dropped = Array.from(data.items)
    .filter((item) => item.kind === "file")
    // What doesn't lie on a drive (a picture out of another page) has no entry, but is a file.
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found: Picked[] = [];
  for (const { entry, file } of dropped) {
    if (entry) await walk(entry, [], found);
    else if (file) found.push({ names: [file.name], file });
  }
  return found;
}
