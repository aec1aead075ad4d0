// The Markdown parser with limits. Files come from other users, and a hostile one would block the page for minutes: the
// parser takes quadratic time for unclosed marks and for deeply nested blocks. Beyond a limit a part stays plain text.
import type { Tree } from "@lezer/common";
import {
  type BlockContext,
  GFM,
  type InlineContext,
  type LeafBlock,
  type LeafBlockParser,
  type Line,
  type MarkdownConfig,
  parser,
} from "@lezer/markdown";

/** Characters of a paragraph, heading or cell whose marks are parsed: that takes quadratic time. */
const longestInline = 10_000;

/** Nested quotes and lists. */
const deepestBlock = 40;

/** Milliseconds after which the rest of the text stays plain. */
const patience = 2_000;

/** An inline picture: long, but without marks in its content. */
const packedPicture = /!\[([^\]\n]{0,300})\]\((data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=]+)\)/y;

/** Runs before all other inline parsers. Of a section that is too long it takes only the inline pictures. */
function takeLong(cx: InlineContext, next: number, pos: number): number {
  if (cx.end - cx.offset <= longestInline) return -1;
  packedPicture.lastIndex = pos - cx.offset;
  const [whole, words = "", address = ""] = (next === 0x21 /* ! */ && packedPicture.exec(cx.text)) || [];
  if (whole === undefined) {
    const picture = cx.text.indexOf("![", pos - cx.offset + 1);
    return picture < 0 ? cx.end : cx.offset + picture;
  }
  const close = pos + 2 + words.length;
  const end = pos + whole.length;
  return cx.addElement(
    cx.elt("Image", pos, end, [
      cx.elt("LinkMark", pos, pos + 2),
      cx.elt("LinkMark", close, close + 1),
      cx.elt("LinkMark", close + 1, close + 2),
      cx.elt("URL", close + 2, close + 2 + address.length),
      cx.elt("LinkMark", end - 1, end),
    ]),
  );
}

/** Runs before all other block parsers: a line that is nested too deep is a paragraph. */
function takeDeep(cx: BlockContext, line: Line): boolean {
  if (cx.depth <= deepestBlock || line.pos >= line.text.length) return false;
  const [from, to] = [cx.lineStart + line.pos, cx.lineStart + line.text.length];
  cx.nextLine();
  cx.addElement(cx.elt("Paragraph", from, to));
  return true;
}

const reference =
  /^\[((?:[^\]\\]|\\.){1,500})\]:[ \t]*(<[^<>]*>|[^\s<]\S*)(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?[ \t]*$/;

/** `[label]: address` on one line. The library's own parser reads all its lines again with each further one. */
class ReferenceLine implements LeafBlockParser {
  constructor(private readonly found: RegExpExecArray) {}

  nextLine(cx: BlockContext, _line: Line, leaf: LeafBlock) {
    return this.finish(cx, leaf);
  }

  finish(cx: BlockContext, leaf: LeafBlock) {
    const [whole, label = "", address = ""] = this.found;
    const { start } = leaf;
    const colon = start + label.length + 2;
    const at = start + whole.indexOf(address, label.length + 3);
    cx.addLeafElement(
      leaf,
      cx.elt("LinkReference", start, start + whole.length, [
        cx.elt("LinkLabel", start, colon),
        cx.elt("LinkMark", colon, colon + 1),
        cx.elt("URL", at, at + address.length),
      ]),
    );
    return true;
  }
}

const limits: MarkdownConfig = {
  parseInline: [{ name: "Long", before: "Escape", parse: takeLong }],
  parseBlock: [
    {
      name: "LinkReference",
      leaf(_cx, { content }) {
        const found = reference.exec(content);
        return found && new ReferenceLine(found);
      },
    },
    { name: "Deep", before: "LinkReference", parse: takeDeep },
  ],
};

const markdown = parser.configure([GFM, limits]);

/** The expression that finds tables takes quadratic time for blanks at the beginning of a line. */
const manyBlanks = /^(?:[^\S\n]|>){1000}/m;

/**
 * Parses a text as far as `patience` allows; null for one that the parser must not see. `plain` is the position where the
 * tree ends, which is the end of the text unless the time was over.
 */
export function parseMarkdown(
  text: string,
  now = () => performance.now(),
): { tree: Tree; plain: number } | null {
  if (manyBlanks.test(text)) return null;
  const parse = markdown.startParse(text);
  const deadline = now() + patience;
  for (;;) {
    const tree = parse.advance();
    if (tree) return { tree, plain: parse.stoppedAt === null ? text.length : tree.length };
    if (parse.stoppedAt === null && now() > deadline) parse.stopAt(parse.parsedPos);
  }
}
