// A Jupyter notebook as cells to be shown. Whatever in the file is not as the format has it is left out. Pure.

export type Output =
  /** Of a program's streams, with the colours of a terminal; `error` for tracebacks and the error stream. */
  | { kind: "text"; text: string; error: boolean }
  | { kind: "image"; address: string }
  | { kind: "html"; html: string }
  | { kind: "markdown"; text: string }
  /** It would be made by a script, which is not run. */
  | { kind: "scripted"; html: string; text: string };

export interface Cell {
  kind: "code" | "markdown" | "raw";
  source: string;
  /** The number of its run; `null` when it was not run. */
  count: number | null;
  outputs: Output[];
  /** Outputs that are not shown. */
  more: number;
  /** Pictures in the cell itself, by name, as addresses. */
  attachments: ReadonlyMap<string, string>;
}

export interface Notebook {
  language: string;
  cells: Cell[];
  /** How many cells the file has. */
  total: number;
}

/** Further cells are not shown. */
export const mostCells = 2_000;

/** Outputs of one cell. */
export const mostOutputs = 200;

/** Characters of a source in code, of one in Markdown, and of everything: a page of more would not answer. */
const longestCode = 300_000;
const longestMarkdown = 2_000_000;
export const mostText = 8_000_000;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Texts are strings, or lists of lines. */
const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : listOf(value)
        .filter((line) => typeof line === "string")
        .join("");

/** Types of pictures that browsers show without running anything, best first. */
const pictures = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"] as const;

function pictureOf(data: Fields): string | null {
  for (const type of pictures) {
    const content = textOf(data[type]);
    if (content === "") continue;
    if (type === "image/svg+xml") return `data:${type};charset=utf-8,${encodeURIComponent(content)}`;
    const packed = content.replace(/\s/g, "");
    if (/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) return `data:${type};base64,${packed}`;
  }
  return null;
}

/** A longer one, such as a map with all its data, would stop the page while it is read. */
const longestHtml = 3_000_000;

const needsScript = (html: string) => /<(?:script|iframe|object|embed)[\s>]/i.test(html);

/** The scripts of a plot may be megabytes, of which nothing is shown. */
function withoutScripts(html: string): string {
  const lower = html.toLowerCase();
  let rest = "";
  let at = 0;
  for (;;) {
    const open = lower.indexOf("<script", at);
    const close = open < 0 ? -1 : lower.indexOf("</script", open);
    const end = close < 0 ? -1 : lower.indexOf(">", close);
    rest += html.slice(at, open < 0 ? undefined : open);
    // One that is never closed takes all that follows.
    if (end < 0) return rest;
    at = end + 1;
  }
}

const deepestJson = 20;

const isDeep = (value: unknown, left = deepestJson): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((part) => isDeep(part, left - 1)));

/** Indented; what is nested deeper would be mostly blanks. */
const jsonText = (value: unknown) =>
  isDeep(value) ? "JSON 嵌套太深，请下载后查看" : JSON.stringify(value, null, 2);

/** One result in several types: the one that says most and runs nothing. */
function resultOf(data: Fields): Output | null {
  const address = pictureOf(data);
  if (address) return { kind: "image", address };
  const plain = textOf(data["text/plain"]);
  const given = textOf(data["text/html"]);
  const scripted = needsScript(given);
  const html = scripted ? withoutScripts(given) : given;
  if (given !== "" && html.length <= longestHtml)
    return scripted ? { kind: "scripted", html, text: plain } : { kind: "html", html };
  const markdown = textOf(data["text/markdown"]) || textOf(data["text/latex"]);
  if (markdown !== "") return { kind: "markdown", text: markdown };
  if (plain !== "") return { kind: "text", text: plain, error: false };
  if (data["application/json"] === undefined) return null;
  return { kind: "text", text: jsonText(data["application/json"]), error: false };
}

function outputOf(value: unknown): Output | null {
  const output = fieldsOf(value);
  switch (output.output_type) {
    case "stream":
      return {
        kind: "text",
        text: textOf(output.text),
        error: output.name === "stderr" || output.stream === "stderr",
      };
    case "error":
    case "pyerr": {
      const trace = listOf(output.traceback).filter((line) => typeof line === "string");
      const words = `${textOf(output.ename)}: ${textOf(output.evalue)}`;
      return { kind: "text", text: trace.length > 0 ? trace.join("\n") : words, error: true };
    }
    default:
      // Before format 4 the types stood in the output itself, by short names.
      return resultOf(isFields(output.data) ? output.data : olderData(output));
  }
}

const olderNames: Readonly<Record<string, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  svg: "image/svg+xml",
  html: "text/html",
  text: "text/plain",
  latex: "text/latex",
};

const olderData = (output: Fields): Fields =>
  Object.fromEntries(
    Object.entries(olderNames).flatMap(([short, type]) =>
      output[short] === undefined ? [] : [[type, output[short]]],
    ),
  );

/** Streams come in pieces: those that follow one another are one text. */
function joined(outputs: readonly Output[]): Output[] {
  const all: Output[] = [];
  for (const output of outputs) {
    const before = all.at(-1);
    if (output.kind === "text" && before?.kind === "text" && before.error === output.error)
      all[all.length - 1] = { ...before, text: before.text + output.text };
    else all.push(output);
  }
  return all;
}

function attachmentsOf(cell: Fields): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, data] of Object.entries(fieldsOf(cell.attachments))) {
    const address = pictureOf(fieldsOf(data));
    if (address) found.set(name, address);
  }
  return found;
}

/** The name of an attachment in the address of a picture. */
export function attachmentName(address: string): string {
  const name = address.replace(/^attachment:/, "");
  try {
    return decodeURIComponent(name);
  } catch {
    // A name that is not encoded may have a percent sign.
    return name;
  }
}

const kindOf = (type: unknown): Cell["kind"] => (type === "code" || type === "raw" ? type : "markdown");

/** Before format 4 headings were cells of their own. */
function headingOf({ cell_type: type, level }: Fields): string {
  if (type !== "heading") return "";
  return `${"#".repeat(Math.min(6, Math.max(1, Math.trunc(Number(level)) || 1)))} `;
}

function cellOf(value: unknown): Cell {
  const cell = fieldsOf(value);
  const outputs = joined(
    listOf(cell.outputs)
      .map(outputOf)
      .filter((output) => output !== null),
  );
  const count = cell.execution_count ?? cell.prompt_number;
  const kind = kindOf(cell.cell_type);
  const source = headingOf(cell) + textOf(cell.source ?? cell.input);
  const longest = kind === "markdown" ? longestMarkdown : longestCode;
  return {
    kind,
    source: source.length > longest ? `${source.slice(0, longest)}…` : source,
    count: typeof count === "number" ? count : null,
    outputs: outputs.slice(0, mostOutputs),
    more: Math.max(0, outputs.length - mostOutputs),
    attachments: attachmentsOf(cell),
  };
}

/** Characters that are drawn. */
const lengthOf = (output: Output): number =>
  ("html" in output ? output.html.length : 0) +
  ("text" in output ? Math.min(output.text.length, longestCode) : 0);

/** The first cells, as many as a page can show. */
function firstCells(values: readonly unknown[]): Cell[] {
  const cells: Cell[] = [];
  let left = mostText;
  for (const value of values.slice(0, mostCells)) {
    if (left <= 0) break;
    const cell = cellOf(value);
    left -= cell.source.length + cell.outputs.reduce((sum, output) => sum + lengthOf(output), 0);
    cells.push(cell);
  }
  return cells;
}

/** Nothing when it is no notebook. */
export function parseNotebook(text: string): Notebook | null {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return null;
  }
  const notebook = fieldsOf(whole);
  const cells = Array.isArray(notebook.cells)
    ? notebook.cells
    : Array.isArray(notebook.worksheets)
      ? notebook.worksheets.flatMap((sheet) => listOf(fieldsOf(sheet).cells))
      : null;
  if (!cells) return null;
  const metadata = fieldsOf(notebook.metadata);
  const language =
    textOf(fieldsOf(metadata.kernelspec).language) ||
    textOf(fieldsOf(metadata.language_info).name) ||
    "python";
  return { language, total: cells.length, cells: firstCells(cells) };
}
