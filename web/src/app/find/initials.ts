// The first letters of Chinese characters in pinyin, so that 服务器列表 is found by "fwqlb". The browser sorts Chinese by
// pinyin; each letter begins at the first character that has it.

const letters = "abcdefghjklmnopqrstwxyz";
const firsts = Array.from("阿八嚓哒妸发旮哈讥咔垃痳拏噢妑七呥扨它穵夕丫帀");

const pinyin = new Intl.Collator("zh-Hans-CN-u-co-pinyin");

const isHan = (character: string) => /\p{Script=Han}/u.test(character);

function initialOf(character: string): string {
  if (!isHan(character)) return /[\da-z]/i.test(character) ? character.toLowerCase() : "";
  const at = firsts.findLastIndex((first) => pinyin.compare(first, character) <= 0);
  return letters[at] ?? "";
}

/** Of each character of a text; letters and digits stay. */
export const initialsOf = (text: string): string => Array.from(text, initialOf).join("");
