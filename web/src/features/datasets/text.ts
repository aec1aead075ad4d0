// Facts about datasets in words.
import { formatCount, formatSize } from "@/shared/lib/numbers";
import type { Dataset } from "./api";

export const titleOf = ({ title, name }: Pick<Dataset, "title" | "name">) => title || name;

/** 1.2 GB · 50,000 个文件 */
export function contentText({
  size,
  files,
  partial,
}: {
  size?: number | null;
  files?: number | null;
  partial?: boolean;
}): string {
  if (size == null || files == null) return "还没有统计";
  const least = partial ? "至少 " : "";
  return `${least}${formatSize(size)} · ${least}${formatCount(files)} 个文件`;
}
