// How wide columns are shown, by their names and their first cells. Pure.
import type { TableColumn } from "./VirtualTable";

const least = 64;
const most = 320;
const rowsMeasured = 60;

/** Pixels of a text at 13 px; what is over the widest column is not counted. */
function widthOf(text: string): number {
  let width = 20;
  for (const character of text.slice(0, 60)) width += (character.codePointAt(0) ?? 0) >= 0x1100 ? 13 : 7.5;
  return width;
}

/** What is longer is no number; looking for one in it could take for ever. */
const longestNumber = 40;

const isNumber = (cell: string) =>
  cell.length <= longestNumber && /^[-+]?(\d[\d,_]*\.?\d*|\.\d+)(e[-+]?\d+)?%?$/i.test(cell.trim());

export function columnsOf(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  notes: readonly string[] = [],
): TableColumn[] {
  const measured = rows.slice(0, rowsMeasured);
  return names.map((name, at) => {
    const cells = measured.map((row) => row[at] ?? "");
    const filled = cells.filter((cell) => cell !== "");
    const widest = Math.max(widthOf(name), widthOf(notes[at] ?? ""), ...cells.map(widthOf));
    const note = notes[at];
    return {
      name,
      ...(note !== undefined && { note }),
      width: Math.round(Math.min(most, Math.max(least, widest))),
      // A heading or a remark among the numbers does not count.
      right: filled.length > 0 && filled.filter(isNumber).length >= 0.8 * filled.length,
    };
  });
}
