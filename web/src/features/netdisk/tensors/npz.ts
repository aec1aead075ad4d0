// The arrays of an `.npz`: a ZIP of `.npy` files, of each of which only the beginning is unpacked.
import pMap from "p-map";
import type { ByteSource } from "../viewing/bytes";
import { openZip, readEntry } from "../viewing/zip-file";
import type { TensorFile } from "./model";
import { npyEntry, pickledWords } from "./npy";

const mostArrays = 2_000;
/** Enough for every header that NumPy writes. */
const headerBytes = 64 * 1024;
const atOnce = 4;

export async function readNpz(source: ByteSource): Promise<TensorFile> {
  const { entries } = await openZip(source);
  const arrays = entries.filter(({ isDir, name }) => !isDir && name.endsWith(".npy"));
  const read = await pMap(
    arrays.slice(0, mostArrays),
    async (entry) =>
      npyEntry(entry.name.replace(/\.npy$/, ""), await readEntry(entry, headerBytes), entry.size),
    { concurrency: atOnce },
  );
  return {
    format: "NumPy 数组包",
    facts: [["数组", String(arrays.length)]],
    warnings: read.some(({ objects }) => objects) ? [pickledWords] : [],
    tensors: read.map(({ tensor }) => tensor),
    omitted: Math.max(0, arrays.length - mostArrays),
  };
}
