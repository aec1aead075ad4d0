// Whether picked files match an interrupted upload. Pure.
import { formatSize } from "@/shared/lib/numbers";
import type { Picked } from "./picked";
import type { Unfinished } from "./remembered";

/** Joining the pieces of one file to the rest of another would corrupt it: so it must be the very same. */
export function faultOfPick(
  { name, isDir, size, modified }: Unfinished,
  picked: readonly Picked[],
): string | null {
  const [first] = picked;
  if (!first || first.names[0] !== name) return `请选择原来的${isDir ? "文件夹" : "文件"} ${name}`;
  if (isDir || !first.file) return null;
  if (first.file.size !== size) return `${name} 的大小不同了，原来是 ${formatSize(size)}`;
  return first.file.lastModified === modified ? null : `${name} 在上次上传之后被改过`;
}
