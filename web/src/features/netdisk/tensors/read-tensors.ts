// Files of weights and arrays by their endings.
import type { ByteSource } from "../viewing/bytes";
import { readGguf } from "./gguf";
import type { TensorFile } from "./model";
import { readNpy } from "./npy";
import { readNpz } from "./npz";
import { readSafetensors } from "./safetensors";
import { readTorch } from "./torch";

const readers: Readonly<Record<string, (source: ByteSource) => Promise<TensorFile>>> = {
  safetensors: readSafetensors,
  gguf: readGguf,
  npy: readNpy,
  npz: readNpz,
};

/** `question` is the ending. */
export function readTensors(source: ByteSource, question: unknown): Promise<TensorFile> {
  const ending = String(question);
  const read = Object.hasOwn(readers, ending) ? readers[ending] : undefined;
  return (read ?? readTorch)(source);
}
