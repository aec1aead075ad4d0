/** Parses a command, one word per line; empty lines and surrounding space are ignored. */
export function commandWords(text: string): string[] {
  return text
    .split("\n")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
