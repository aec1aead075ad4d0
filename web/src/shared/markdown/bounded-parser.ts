// The Markdown parser with limits. Texts come from strangers, and what no writer makes would hold the page for minutes:
// marks without an end are searched again and again, and quotes are opened in quotes. Beyond a limit a part is plain text.
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

/** Characters of a paragraph, a heading or a cell in which marks are looked for: the time grows with the square. */
const longestInline = 10_000;

/** Quotes and lists in each other. */
const deepestBlock = 40;

/** Milliseconds after which the rest of a text stays plain. */
const patience = 2_000;

/** A picture in the text itself: long, but its content has no marks. */
const packedPicture = /!\[([^\]\n]{0,300})\]\((data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=]+)\)/y;

/** Stands before all other parsers of inline content. Of what is too long only pictures are taken. */
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

/** Stands before all other parsers of blocks. */
function takeDeep(cx: BlockContext, line: Line): boolean {
  if (cx.depth <= deepestBlock || line.pos >= line.text.length) return false;
  const [from, to] = [cx.lineStart + line.pos, cx.lineStart + line.text.length];
  cx.nextLine();
  cx.addElement(cx.elt("Paragraph", from, to));
  return true;
}

const reference =
  /^\[((?:[^\]\\]|\\.){1,500})\]:[ \t]*(<[^<>]*>|[^\s<]\S*)(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?[ \t]*$/;

/** `[label]: address` in one line. The parser's own reads its lines again with each further one. */
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

/** The rule that finds tables takes the square of the blanks before a line. */
const manyBlanks = /^(?:[^\S\n]|>){1000}/m;

/**
 * Parses a text as far as the time allows; null for one that is no text of a person. `plain` is where the tree ends: at
 * the end of the text, unless that takes too long.
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
