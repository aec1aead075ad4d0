// The rules for names of files and folders. The server decides; this saves the round trip.

const most = 255;

const bytesOf = (name: string) => new TextEncoder().encode(name).length;

/** Names are trimmed before they are checked and sent. */
export function faultOfName(trimmed: string): string | null {
  if (trimmed === "") return "请输入名称";
  if (trimmed === "." || trimmed === "..") return "名称不能是 . 或 ..";
  if (trimmed.includes("/")) return "名称不能包含 /";
  if (bytesOf(trimmed) > most) return "名称太长，最多 255 字节（约 85 个汉字）";
  return null;
}

/** How much of a name is selected for renaming: all but the extension. */
export function stemLength(name: string, isDir: boolean): number {
  const dot = name.lastIndexOf(".");
  return isDir || dot <= 0 ? name.length : dot;
}

/** As much of a name as leaves room for this ending. */
export function stemFor(name: string, ending: string): string {
  const characters = Array.from(name);
  while (bytesOf(characters.join("") + ending) > most) characters.pop();
  return characters.join("").trim();
}
