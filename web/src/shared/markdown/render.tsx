// Renders Markdown as elements. HTML in the text is shown as text, links lead only to the web, and remote images become
// links, so that opening a page leaks nothing. Where a text belongs to files beside it, the caller shows their pictures
// and links.
import type { SyntaxNode } from "@lezer/common";
import { Fragment, type ReactNode } from "react";
import { safeLink } from "@/shared/lib/safe-link";
import { parseMarkdown } from "./bounded-parser";
import { type Budget, makeBudget, TooMuch } from "./budget";

/** What a caller does otherwise; each may answer nothing, and then it is done as usual. */
export interface MarkdownParts {
  image?: (address: string, words: string) => ReactNode;
  anchor?: (address: string, words: ReactNode) => ReactNode;
  code?: (code: string, language: string) => ReactNode;
  heading?: (level: number, words: ReactNode) => ReactNode;
  /** HTML in the text: a block of it, or one tag. */
  html?: (html: string) => ReactNode;
}

interface Source {
  text: string;
  /** How deep in the text: browsers draw nothing that is nested without an end. */
  depth: number;
  /** How many elements may still be made. */
  budget: Budget;
  parts: MarkdownParts;
  /** The addresses of `[label]: address`. */
  references: ReadonlyMap<string, string>;
}

/** More elements than any text has that people read. */
const mostElements = 100_000;

export function render(
  text: string,
  parts: MarkdownParts = {},
  budget = makeBudget(mostElements),
): ReactNode {
  const parsed = parseMarkdown(text);
  if (!parsed) return <Plain text={text} />;
  const top = parsed.tree.topNode;
  const content = blocks(top, { text, parts, budget, depth: 0, references: referencesOf(top, text) });
  return (
    <>
      {content}
      {budget.left < 0 ? <TooMuch /> : <Plain text={text.slice(parsed.plain)} />}
    </>
  );
}

/** What is not parsed, as it stands there. */
const Plain = ({ text }: { text: string }) =>
  text.trim() !== "" && (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  );

const textOf = ({ text }: Pick<Source, "text">, { from, to }: SyntaxNode) => text.slice(from, to);

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

const labelKey = (label: string) =>
  label
    .replace(/^\[|\]$/g, "")
    .trim()
    .toLowerCase();

function referencesOf(top: SyntaxNode, text: string): ReadonlyMap<string, string> {
  const references = new Map<string, string>();
  for (const node of childrenOf(top)) {
    const label = node.name === "LinkReference" && node.getChild("LinkLabel");
    const url = label && node.getChild("URL");
    if (label && url) references.set(labelKey(textOf({ text }, label)), addressText(textOf({ text }, url)));
  }
  return references;
}

/** The blocks in a block; everything between them is white space and marks. */
const blocks = (node: SyntaxNode, source: Source): ReactNode =>
  childrenOf(node).map((child) => <Fragment key={child.from}>{element(child, deeper(source))}</Fragment>);

const deepest = 80;
const deeper = (source: Source): Source => ({ ...source, depth: source.depth + 1 });

/** The text of a block or inline element, with its children. */
function inline(node: SyntaxNode, source: Source, from = node.from, to = node.to): ReactNode {
  const parts: ReactNode[] = [];
  const inner = deeper(source);
  let at = from;
  for (const child of childrenOf(node)) {
    if (child.from < from || child.to > to) continue;
    if (child.from > at) parts.push(source.text.slice(at, child.from));
    parts.push(<Fragment key={child.from}>{element(child, inner)}</Fragment>);
    at = child.to;
  }
  if (at < to) parts.push(source.text.slice(at, to));
  return parts;
}

function element(node: SyntaxNode, source: Source): ReactNode {
  const { name } = node;
  source.budget.left -= 1;
  if (source.budget.left < 0) return null;
  if (source.depth > deepest) return textOf(source, node);
  const heading = /^(?:ATX|Setext)Heading([1-6])$/.exec(name);
  if (heading) {
    const level = Number(heading[1]);
    const words = inline(node, source);
    return source.parts.heading?.(level, words) ?? <Heading level={level}>{words}</Heading>;
  }
  switch (name) {
    case "Paragraph":
      return <p>{inline(node, source)}</p>;
    case "Blockquote":
      return <blockquote>{blocks(node, source)}</blockquote>;
    case "BulletList":
      return <ul>{blocks(node, source)}</ul>;
    case "OrderedList":
      return <ol start={Number.parseInt(textOf(source, node), 10) || 1}>{blocks(node, source)}</ol>;
    case "ListItem":
      return <li>{blocks(node, source)}</li>;
    case "Task":
      return <p>{inline(node, source)}</p>;
    case "TaskMarker":
      return <input type="checkbox" disabled checked={textOf(source, node) !== "[ ]"} aria-label="任务" />;
    case "FencedCode":
    case "CodeBlock":
      return source.parts.code?.(codeOf(node, source), languageOf(node, source)) ?? code(node, source);
    case "HorizontalRule":
      return <hr />;
    case "Table":
      return <Table node={node} source={source} />;
    case "Emphasis":
      return <em>{inline(node, source)}</em>;
    case "StrongEmphasis":
      return <strong>{inline(node, source)}</strong>;
    case "Strikethrough":
      return <del>{inline(node, source)}</del>;
    case "InlineCode":
      return <code>{textOf(source, node).replace(/^(`+) ?([\s\S]*?) ?\1$/, "$2")}</code>;
    case "HardBreak":
      return <br />;
    case "Escape":
      return textOf(source, node).slice(1);
    case "Entity":
      return entity(textOf(source, node));
    case "Link":
    case "Image":
      return link(node, source);
    case "Autolink":
      return <Anchor address={textOf(source, node).slice(1, -1)}>{textOf(source, node).slice(1, -1)}</Anchor>;
    case "URL":
      return <Anchor address={textOf(source, node)}>{textOf(source, node)}</Anchor>;
    case "HTMLBlock":
      return source.parts.html?.(textOf(source, node)) ?? <p>{textOf(source, node)}</p>;
    case "HTMLTag":
      return source.parts.html ? source.parts.html(textOf(source, node)) : textOf(source, node);
    case "LinkReference":
    case "Comment":
    case "CommentBlock":
      return null;
    default:
      return name.endsWith("Mark") || name === "TableDelimiter" ? null : textOf(source, node);
  }
}

function Heading({ level, children }: { level: number; children: ReactNode }) {
  // The page and its panels have the first two levels.
  const Tag = (["h3", "h3", "h4", "h5", "h6", "h6"] as const)[level - 1] ?? "h6";
  return <Tag>{children}</Tag>;
}

const code = (node: SyntaxNode, source: Source) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
  <pre tabIndex={0}>
    <code>{codeOf(node, source)}</code>
  </pre>
);

function languageOf(node: SyntaxNode, source: Source): string {
  const info = node.getChild("CodeInfo");
  return info ? (textOf(source, info).trim().split(/\s/)[0] ?? "") : "";
}

const codeOf = (node: SyntaxNode, source: Source) =>
  node
    .getChildren("CodeText")
    .map((part) => textOf(source, part))
    .join(node.name === "CodeBlock" ? "\n" : "");

function Table({ node, source }: { node: SyntaxNode; source: Source }) {
  const cells = (row: SyntaxNode) => row.getChildren("TableCell");
  const head = node.getChild("TableHeader");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a table in a text is no fieldset
    <div role="group" aria-label="表格" tabIndex={0}>
      <table>
        {head && (
          <thead>
            <tr>
              {cells(head).map((cell) => (
                <th key={cell.from}>{inline(cell, source)}</th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {node.getChildren("TableRow").map((row) => (
            <tr key={row.from}>
              {cells(row).map((cell) => (
                <td key={cell.from}>{inline(cell, source)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** `[words](address)`, `[words][label]`, `[label]`; a picture by its words. */
function link(node: SyntaxNode, source: Source): ReactNode {
  const [opening, closing] = node.getChildren("LinkMark");
  if (!opening || !closing) return textOf(source, node);
  const words = inline(node, source, opening.to, closing.from);
  const url = node.getChild("URL");
  const label = node.getChild("LinkLabel");
  const named = label ? textOf(source, label) : source.text.slice(opening.to, closing.from);
  const address = url ? addressText(textOf(source, url)) : source.references.get(labelKey(named));
  if (address === undefined) return textOf(source, node);
  const own =
    node.name === "Image"
      ? source.parts.image?.(address, source.text.slice(opening.to, closing.from))
      : source.parts.anchor?.(address, words);
  if (own !== undefined && own !== null) return own;
  return (
    <Anchor address={address}>
      {node.name === "Image" && "图片："}
      {words}
    </Anchor>
  );
}

const addressText = (address: string) => address.replace(/^<|>$/g, "");

function Anchor({ address, children }: { address: string; children: ReactNode }) {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : undefined;
  const bare = /^www\./i.test(address) ? `https://${address}` : undefined;
  const href = safeLink(absolute ?? bare);
  if (!href) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** A document that is parsed but never shown runs nothing. */
const entity = (text: string) => new DOMParser().parseFromString(text, "text/html").body.textContent || text;
