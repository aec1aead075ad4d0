// Where a long file name is cut when it does not fit: in the middle, so that the extension stays in sight. Pure.

/** Columns that a name may take without being prepared for a cut; a Chinese character takes two. */
const shortColumns = 16;

/** The longest ending that is taken for an extension, with its dot. */
const longestExtension = 12;

/** Characters before the extension that stay with it. */
const before = 3;

const isWide = (character: string) => (character.codePointAt(0) ?? 0) >= 0x1100;

const columnsOf = (characters: readonly string[]) =>
  characters.reduce((sum, character) => sum + (isWide(character) ? 2 : 1), 0);

/** Both parts together are the name; the second is never cut, and empty for a short name. */
export function cutInMiddle(name: string): [string, string] {
  const characters = Array.from(name);
  if (columnsOf(characters) <= shortColumns) return [name, ""];
  const dot = characters.lastIndexOf(".");
  const ending = dot > 0 ? characters.length - dot : 0;
  const kept = (ending <= longestExtension ? ending : 0) + before;
  return [characters.slice(0, -kept).join(""), characters.slice(-kept).join("")];
}
