// The content of the panel: the commands, their output, and how they ended. Pure. Output is in blocks that never change
// once they are full, so that a new line costs the same after ten lines and after a thousand.
import { plainText } from "./plain-text";

const blockLines = 100;
/** Longer than people scroll back; the oldest are dropped first. */
export const mostLines = 5_000;
/** Letters, where the lines are long. */
export const mostLetters = 1_000_000;

export interface Block {
  id: number;
  kind: "command" | "output" | "note" | "fault";
  /** Where a command was entered. */
  folder?: string;
  lines: readonly string[];
}

export interface Transcript {
  blocks: readonly Block[];
  nextId: number;
  /** How many lines of output are not kept any more. */
  omitted: number;
}

export const emptyTranscript: Transcript = { blocks: [], nextId: 1, omitted: 0 };

export function put({ blocks, nextId, omitted }: Transcript, block: Omit<Block, "id">): Transcript {
  return { blocks: [...blocks, { ...block, id: nextId }], nextId: nextId + 1, omitted };
}

/** Adds received lines; `lost` is the number of lines before them that were dropped. */
export function print(transcript: Transcript, raw: readonly string[], lost = 0): Transcript {
  let next = { ...transcript, omitted: transcript.omitted + lost };
  let lines = raw.map(plainText);
  const last = next.blocks.at(-1);
  if (last?.kind === "output" && last.lines.length < blockLines) {
    const full = { ...last, lines: [...last.lines, ...lines.slice(0, blockLines - last.lines.length)] };
    lines = lines.slice(blockLines - last.lines.length);
    next = { ...next, blocks: [...next.blocks.slice(0, -1), full] };
  }
  for (let at = 0; at < lines.length; at += blockLines) {
    next = put(next, { kind: "output", lines: lines.slice(at, at + blockLines) });
  }
  return trimmed(next);
}

const lettersOf = ({ lines }: Block) => lines.reduce((sum, line) => sum + line.length, 0);

function trimmed({ blocks, nextId, omitted }: Transcript): Transcript {
  let lines = blocks.reduce((sum, block) => sum + block.lines.length, 0);
  let letters = blocks.reduce((sum, block) => sum + lettersOf(block), 0);
  let from = 0;
  let gone = 0;
  // The last block is the visible one.
  for (const block of blocks.slice(0, -1)) {
    if (lines <= mostLines && letters <= mostLetters) break;
    lines -= block.lines.length;
    letters -= lettersOf(block);
    if (block.kind === "output") gone += block.lines.length;
    from += 1;
  }
  return from === 0
    ? { blocks, nextId, omitted }
    : { blocks: blocks.slice(from), nextId, omitted: omitted + gone };
}

/**
 * Removes the last line of the output if it is this one: an English message of the server with a Chinese replacement.
 */
export function takeBack(transcript: Transcript, line: string): Transcript {
  const last = transcript.blocks.at(-1);
  if (last?.kind !== "output" || last.lines.at(-1) !== line) return transcript;
  const rest = last.lines.slice(0, -1);
  const before = transcript.blocks.slice(0, -1);
  return { ...transcript, blocks: rest.length > 0 ? [...before, { ...last, lines: rest }] : before };
}

/** The last line that was printed. */
export const lastLine = ({ blocks }: Transcript): string =>
  blocks.findLast(({ kind }) => kind === "output")?.lines.at(-1) ?? "";
