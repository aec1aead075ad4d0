// HTML of strangers, such as a notebook's tables, as elements of our own: parsed into what is never shown, and
// only what is listed here is taken over. Nothing of it can run, load from elsewhere or look like our page.
import { createElement, Fragment, type ReactNode } from "react";
import { safeLink } from "@/shared/lib/safe-link";
import { type Budget, makeBudget, TooMuch } from "./budget";

interface HtmlOptions {
  /** The picture at an address that is none of `data:`; nothing for one that is not to be shown. */
  image?: ((address: string, words: string) => ReactNode) | undefined;
  /** Shared with the text that the HTML is part of, which then says where it was broken off. */
  budget?: Budget;
  /** Elements and texts, where nothing is shared. */
  most?: number;
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

/** A picture in the text itself, which browsers show without running anything of it. */
export const isInlinePicture = (address: string) =>
  /^data:image\/(png|jpe?g|gif|webp|svg\+xml)[;,]/i.test(address);

export function safeHtml(html: string, { image, budget, most = mostNodes }: HtmlOptions = {}): ReactNode {
  const walk: Walk = { image, budget: budget ?? makeBudget(most), inLink: false };
  const content = childrenOf(parsed(html), walk, 0);
  return budget || walk.budget.left >= 0 ? content : [...content, <TooMuch key="rest" />];
}

/** None of them could run, but the browser would complain of each. */
const withoutHandlers = (html: string) =>
  html.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/([\s/"'])on(\w+)\s*=/gi, "$1data-on$2="));

/**
 * Renames formatting elements. Browsers reopen unclosed ones in each following block, so that a thousand of them before a
 * thousand paragraphs become a million elements; elements with other names are not reopened.
 */
const withoutReopening = (html: string) =>
  html.replace(/<(\/?)(a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])/gi, "<$1x-$2");

/** The content of a template belongs to no page: nothing in it loads or gets a handler. */
function parsed(html: string): DocumentFragment {
  const template = document.createElement("template");
  template.innerHTML = withoutReopening(withoutHandlers(html));
  return template.content;
}

/** Whether there is something to be seen without its scripts. */
export function hasWords(html: string): boolean {
  const content = parsed(html);
  for (const element of content.querySelectorAll(Array.from(dropped).join(","))) element.remove();
  return (content.textContent ?? "").trim() !== "" || content.querySelector("img") !== null;
}

interface Walk {
  image: HtmlOptions["image"];
  budget: Budget;
  /** Links do not nest. */
  inLink: boolean;
}

function childrenOf(parent: Node, walk: Walk, depth: number): ReactNode[] {
  const parts: ReactNode[] = [];
  for (const [at, child] of Array.from(parent.childNodes).entries()) {
    walk.budget.left -= 1;
    if (walk.budget.left < 0) break;
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
  if (!(node instanceof Element)) return null;
  const name = node.localName.replace(/^x-/, "");
  if (dropped.has(name)) return null;
  if (depth > deepest) return "…";
  if (name === "img") return picture(node, walk);
  if (name === "a") return anchor(node, walk, depth);
  const tag = Object.hasOwn(taken, name) ? taken[name] : undefined;
  const attributes = tag ? attributesOf(node, tag, walk) : {};
  const children = empty.has(name) ? undefined : childrenOf(node, walk, depth + 1);
  return tag ? createElement(tag, attributes, children) : (children ?? null);
}

const cells = new Set(["td", "th"]);

function attributesOf(element: Element, tag: string, { budget }: Walk): Record<string, unknown> {
  const span = (name: string) =>
    Math.min(1000, Math.max(1, Math.trunc(Number(element.getAttribute(name))) || 1));
  if (cells.has(tag)) {
    const colSpan = span("colspan");
    // The layout of a column costs as much as an element.
    budget.left -= colSpan - 1;
    return { colSpan, rowSpan: span("rowspan") };
  }
  if (tag === "ol") return { start: Math.trunc(Number(element.getAttribute("start"))) || 1 };
  return {};
}

function anchor(element: Element, walk: Walk, depth: number): ReactNode {
  const address = element.getAttribute("href") ?? "";
  // A relative one would lead into our own pages.
  const absolute = !walk.inLink && /^[a-z][a-z0-9+.-]*:/i.test(address);
  const href = absolute ? safeLink(address) : undefined;
  if (!href) return childrenOf(element, walk, depth + 1);
  walk.inLink = true;
  const children = childrenOf(element, walk, depth + 1);
  walk.inLink = false;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function picture(element: Element, { image }: Walk): ReactNode {
  const address = element.getAttribute("src") ?? "";
  const words = element.getAttribute("alt") ?? "";
  if (!isInlinePicture(address)) return image?.(address, words) ?? (words || null);
  const width = Number(element.getAttribute("width")) || undefined;
  return <img src={address} alt={words} width={width && Math.min(2000, width)} />;
}
