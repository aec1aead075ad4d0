// HTML of strangers, such as a notebook's tables, as elements of our own: parsed into what is never shown, and
// only what is listed here is taken over. Nothing of it can run, load from elsewhere or look like our page.
import { createElement, Fragment, type ReactNode } from "react";
import { safeLink } from "@/shared/lib/safe-link";

interface HtmlOptions {
  /** The picture at an address that is none of `data:`; nothing for one that is not to be shown. */
  image?: ((address: string, words: string) => ReactNode) | undefined;
}

/** Elements that are taken over, and as what. */
const taken: Readonly<Record<string, string>> = {
  ...same("b i em strong s del ins u code pre kbd samp sub sup small mark br hr p div span blockquote"),
  ...same("ul ol li dl dt dd table caption thead tbody tfoot tr th td details summary figure figcaption"),
  // The page and its panels have the first two levels.
  ...{ h1: "h3", h2: "h3", h3: "h4", h4: "h5", h5: "h6", h6: "h6", center: "div" },
};

function same(names: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, name]));
}

/** Left out with all that is in them. */
const dropped = new Set(
  "script style iframe object embed template noscript svg math head title link meta form input button select textarea audio video canvas".split(
    " ",
  ),
);

const empty = new Set(["br", "hr"]);
const rows = new Set(["table", "thead", "tbody", "tfoot", "tr"]);

/** A hostile document ends here. */
const mostNodes = 200_000;
const deepest = 60;

const inlinePicture = /^data:image\/(png|jpe?g|gif|webp|svg\+xml)[;,]/i;

export function safeHtml(html: string, options: HtmlOptions = {}): ReactNode {
  const walk: Walk = { ...options, left: mostNodes };
  const content = childrenOf(parsed(html), walk, 0);
  if (walk.left > 0) return content;
  return [...content, <p key="rest">内容太多，后面的没有显示</p>];
}

/** None of them could run, but the browser would complain of each. */
const withoutHandlers = (html: string) =>
  html.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/([\s/"'])on(\w+)\s*=/gi, "$1data-on$2="));

/** The content of a template belongs to no page: nothing in it loads or gets a handler. */
function parsed(html: string): DocumentFragment {
  const template = document.createElement("template");
  template.innerHTML = withoutHandlers(html);
  return template.content;
}

/** Whether there is something to be seen without its scripts. */
export function hasWords(html: string): boolean {
  const content = parsed(html);
  for (const element of content.querySelectorAll(Array.from(dropped).join(","))) element.remove();
  return (content.textContent ?? "").trim() !== "" || content.querySelector("img") !== null;
}

interface Walk extends HtmlOptions {
  left: number;
}

function childrenOf(parent: Node, walk: Walk, depth: number): ReactNode[] {
  const parts: ReactNode[] = [];
  for (const [at, child] of Array.from(parent.childNodes).entries()) {
    if (walk.left <= 0) break;
    walk.left -= 1;
    const part = nodeOf(child, walk, depth);
    if (part !== null) parts.push(<Fragment key={at}>{part}</Fragment>);
  }
  return parts;
}

function nodeOf(node: Node, walk: Walk, depth: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) {
    const text = node.textContent ?? "";
    const parent = node.parentNode?.nodeName.toLowerCase() ?? "";
    return rows.has(parent) && text.trim() === "" ? null : text;
  }
  if (!(node instanceof Element) || depth > deepest) return null;
  const name = node.localName;
  if (dropped.has(name)) return null;
  if (name === "img") return picture(node, walk);
  const children = empty.has(name) ? undefined : childrenOf(node, walk, depth + 1);
  if (name === "a") return anchor(node, children);
  const tag = Object.hasOwn(taken, name) ? taken[name] : undefined;
  return tag ? createElement(tag, attributesOf(node, tag), children) : (children ?? null);
}

const cells = new Set(["td", "th"]);

function attributesOf(element: Element, tag: string): Record<string, unknown> {
  const span = (name: string) => Math.min(1000, Math.max(1, Number(element.getAttribute(name)) || 1));
  if (cells.has(tag)) return { colSpan: span("colspan"), rowSpan: span("rowspan") };
  if (tag === "ol") return { start: Math.trunc(Number(element.getAttribute("start"))) || 1 };
  return {};
}

function anchor(element: Element, children: ReactNode): ReactNode {
  const address = element.getAttribute("href") ?? "";
  // A relative one would lead into our own pages.
  const href = /^[a-z][a-z0-9+.-]*:/i.test(address) ? safeLink(address) : undefined;
  if (!href) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function picture(element: Element, { image }: Walk): ReactNode {
  const address = element.getAttribute("src") ?? "";
  const words = element.getAttribute("alt") ?? "";
  if (!inlinePicture.test(address)) return image?.(address, words) ?? (words || null);
  const width = Number(element.getAttribute("width")) || undefined;
  return <img src={address} alt={words} width={width && Math.min(2000, width)} />;
}
