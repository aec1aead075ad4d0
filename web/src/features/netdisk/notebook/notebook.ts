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

const needsScript = (html: string) => /<script[\s>]/i.test(html);

/** One result in several types: the one that says most and runs nothing. */
function resultOf(data: Fields): Output | null {
  const address = pictureOf(data);
  if (address) return { kind: "image", address };
  const plain = textOf(data["text/plain"]);
  const html = textOf(data["text/html"]);
  if (html !== "" && html.length <= longestHtml)
    return needsScript(html) ? { kind: "scripted", html, text: plain } : { kind: "html", html };
  const markdown = textOf(data["text/markdown"]) || textOf(data["text/latex"]);
  if (markdown !== "") return { kind: "markdown", text: markdown };
  if (plain !== "") return { kind: "text", text: plain, error: false };
  if (data["application/json"] === undefined) return null;
  return { kind: "text", text: JSON.stringify(data["application/json"], null, 2), error: false };
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

function cellOf(value: unknown): Cell {
  const cell = fieldsOf(value);
  const outputs = listOf(cell.outputs)
    .map(outputOf)
    .filter((output) => output !== null);
  const count = cell.execution_count ?? cell.prompt_number;
  const heading = cell.cell_type === "heading" ? `${"#".repeat(Number(cell.level) || 1)} ` : "";
  return {
    kind: cell.cell_type === "code" ? "code" : cell.cell_type === "raw" ? "raw" : "markdown",
    source: heading + textOf(cell.source ?? cell.input),
    count: typeof count === "number" ? count : null,
    outputs: joined(outputs),
    attachments: attachmentsOf(cell),
  };
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
  return { language, total: cells.length, cells: cells.slice(0, mostCells).map(cellOf) };
}
