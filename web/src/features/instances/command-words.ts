/** A command as it is typed, one word a line; empty lines and the space around words do not count. */
export function commandWords(text: string): string[] {
  return text
    .split("\n")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
