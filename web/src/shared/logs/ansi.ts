// Splits a line of a program's output into styled pieces. Colours, bold and the like are kept; all other terminal
// sequences are dropped, so that a log can only be read. Pure.
import type { CSSProperties } from "react";

export interface Piece {
  text: string;
  style?: CSSProperties;
}

/** The style at the beginning of a line: colours continue over line ends. */
export interface Pen {
  color?: string | undefined;
  background?: string | undefined;
  bold?: true | undefined;
  dim?: true | undefined;
  italic?: true | undefined;
  underline?: true | undefined;
}

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

const esc = "\\u001b";
const sequence = new RegExp(
  [
    `${esc}\\[([0-9;:]*)m`,
    `${esc}\\[[0-?]*[ -/]*[@-~]?`,
    `${esc}\\][^\\u0007\\u001b]*(?:\\u0007|${esc}\\\\|$)`,
    `${esc}[PX^_][^\\u001b]*(?:${esc}\\\\|$)`,
    `${esc}[ -/]*[0-~]?`,
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f\\u0080-\\u009f]",
  ].join("|"),
  "g",
);

/** Of 256 colours the last 240 are a cube and a ramp of greys. */
function fromPalette(index: number): string | undefined {
  const name = names[index % 8];
  if (index < 8) return `var(--ansi-${name})`;
  if (index < 16) return `var(--ansi-bright-${name})`;
  if (index > 255) return undefined;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey},${grey},${grey})`;
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const at = index - 16;
  return `rgb(${level(Math.floor(at / 36))},${level(Math.floor(at / 6) % 6)},${level(at % 6)})`;
}

/** Parses the arguments of 38 or 48: `5;n` or `2;r;g;b`. Returns the colour and the number of consumed codes. */
function extended(codes: readonly number[], at: number): [string | undefined, number] {
  if (codes[at] === 5) return [fromPalette(codes[at + 1] ?? 0), 2];
  if (codes[at] !== 2) return [undefined, 1];
  const parts = codes.slice(at + 1, at + 4).map((part) => Math.min(255, part));
  return [parts.length === 3 ? `rgb(${parts.join(",")})` : undefined, 4];
}

/** Effects of single codes; `undefined` resets. */
const changes: Readonly<Record<number, Pen>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  22: { bold: undefined, dim: undefined },
  23: { italic: undefined },
  24: { underline: undefined },
  39: { color: undefined },
  49: { background: undefined },
};

function plainChange(pen: Pen, code: number): Pen {
  if (code === 0) return {};
  const change = changes[code];
  if (change) return { ...pen, ...change };
  const [tens, ones] = [Math.floor(code / 10), code % 10];
  if (ones > 7) return pen;
  const value = fromPalette(tens >= 9 ? ones + 8 : ones);
  if (tens === 3 || tens === 9) return { ...pen, color: value };
  return tens === 4 || tens === 10 ? { ...pen, background: value } : pen;
}

function changed(pen: Pen, parameters: string): Pen {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = pen;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [value, taken] = extended(codes, at + 1);
      at += taken;
      if (value) next = { ...next, [code === 38 ? "color" : "background"]: value };
    } else next = plainChange(next, code);
  }
  return next;
}

function styleOf({ color, background, bold, dim, italic, underline }: Pen): CSSProperties | undefined {
  const style: CSSProperties = {
    ...(color && { color }),
    ...(background && { background }),
    ...(bold && { fontWeight: 600 }),
    ...(dim && { opacity: 0.7 }),
    ...(italic && { fontStyle: "italic" }),
    ...(underline && { textDecoration: "underline" }),
  };
  return Object.keys(style).length > 0 ? style : undefined;
}

/** Of text that a program overwrote, such as a progress bar, the last remains. */
function lastWriting(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((part) => part !== "") ?? "";
}

export function parseLine(line: string, before: Pen): { pieces: Piece[]; pen: Pen } {
  const text = lastWriting(line);
  const pieces: Piece[] = [];
  let pen = before;
  let from = 0;
  const take = (to: number) => {
    if (to === from) return;
    const style = styleOf(pen);
    pieces.push({ text: text.slice(from, to), ...(style && { style }) });
  };
  for (const found of text.matchAll(sequence)) {
    take(found.index);
    from = found.index + found[0].length;
    if (found[1] !== undefined) pen = changed(pen, found[1]);
  }
  take(text.length);
  return { pieces, pen };
}
