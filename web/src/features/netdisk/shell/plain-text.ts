// What a program prints, as text and nothing else: colours, cursor movements and titles are left out, so that no output
// can do more than be read. Pure.
import { shownName } from "../disk-paths";

const esc = "\\u001b";
const ends = `(?:\\u0007|${esc}\\\\|$)`;

const sequences = new RegExp(
  [
    // Colours, movements, modes.
    `(?:${esc}\\[|\\u009b)[0-?]*[ -/]*[@-~]?`,
    // Titles, links, and whatever else is a string for the terminal.
    `${esc}\\][^\\u0007\\u001b]*${ends}`,
    `${esc}[PX^_][^\\u001b]*${ends}`,
    // Character sets and single letters.
    `${esc}[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);

/** Bold and underlined letters of manual pages: each printed over itself. */
const overprinted = /[^\b][\b]/g;

/** One line. Of what a program wrote over itself the last remains; other control characters are seen as pictures. */
export function plainText(line: string): string {
  const bare = line.replace(sequences, "").replace(overprinted, "");
  const [last = ""] = bare.split("\r").filter(Boolean).slice(-1);
  return last.split("\t").map(shownName).join("\t");
}
