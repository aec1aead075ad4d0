// Converts a program's output to plain text: colours, cursor movements and titles are dropped, so that output can only
// be read. Pure.
import { shownName } from "../disk-paths";

const esc = "\\u001b";
const ends = `(?:\\u0007|${esc}\\\\|$)`;

const sequences = new RegExp(
  [
    // Colours, movements, modes.
    `(?:${esc}\\[|\\u009b)[0-?]*[ -/]*[@-~]?`,
    // Titles, links, and other strings for the terminal.
    `${esc}\\][^\\u0007\\u001b]*${ends}`,
    `${esc}[PX^_][^\\u001b]*${ends}`,
    // Character sets and single letters.
    `${esc}[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);

/** Bold and underlined letters of manual pages: each printed over itself. */
const overprinted = /[^\b][\b]/g;

/** One line. Of overwritten text the last remains; other control characters are shown as pictures. */
export function plainText(line: string): string {
  const bare = line.replace(sequences, "").replace(overprinted, "");
  const [last = ""] = bare.split("\r").filter(Boolean).slice(-1);
  return last.split("\t").map(shownName).join("\t");
}
