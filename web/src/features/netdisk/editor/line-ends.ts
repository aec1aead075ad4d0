// Line ends of a text. The editor itself only supports one kind, and files have three, sometimes mixed: unchanged lines
// must be written as they were read.
import { invertedEffects } from "@codemirror/commands";
import {
  type EditorState,
  type Extension,
  StateEffect,
  StateField,
  type Transaction,
} from "@codemirror/state";

type LineEnd = "\n" | "\r\n" | "\r";
type Ends = readonly LineEnd[];

const kinds: Ends = ["\n", "\r\n", "\r"];

const asEnd = (found: string): LineEnd => kinds.find((end) => end === found) ?? "\n";

/** The ends of a text's lines, in their order. The last line has none. */
const endsOf = (text: string): Ends => Array.from(text.matchAll(/\r\n?|\n/g), ([found]) => asEnd(found));

function commonest(ends: Ends): LineEnd {
  const count = (kind: LineEnd) => ends.reduce((sum, end) => sum + (end === kind ? 1 : 0), 0);
  const [usual = "\n"] = kinds.toSorted((a, b) => count(b) - count(a));
  return usual;
}

/** The line ends from this position on, for undoing a join of lines. */
interface Put {
  at: number;
  ends: Ends;
}

const put = StateEffect.define<Put>({
  map: ({ at, ends }, change) => ({ at: change.mapPos(at, 1), ends }),
});

interface Cut {
  at: number;
  /** The index of the first removed end, and the numbers of removed and added ones. */
  first: number;
  removed: number;
  added: number;
}

/** Where a transaction joins or breaks lines. */
function cutsOf({ changes, startState }: Transaction): Cut[] {
  const { doc } = startState;
  const cuts: Cut[] = [];
  changes.iterChanges((from, to, _, __, inserted) => {
    const first = doc.lineAt(from).number - 1;
    const removed = doc.lineAt(to).number - 1 - first;
    const added = inserted.lines - 1;
    if (removed > 0 || added > 0) cuts.push({ at: from, first, removed, added });
  });
  return cuts;
}

/** A new line ends like the one that was broken; lines that replace as many others end like those. */
function cutEnds(ends: Ends, cuts: readonly Cut[], usual: LineEnd): LineEnd[] {
  const next: LineEnd[] = [];
  let seen = 0;
  const pass = (upTo: number) => {
    for (const end of ends.slice(seen, upTo)) next.push(end);
  };
  for (const { first, removed, added } of cuts) {
    pass(first);
    const own = ends[first] ?? ends[first - 1] ?? usual;
    for (let at = 0; at < added; at += 1) next.push(at < removed ? (ends[first + at] ?? usual) : own);
    seen = first + removed;
  }
  pass(ends.length);
  return next;
}

function change(ends: Ends, transaction: Transaction, usual: LineEnd): Ends {
  const cuts = cutsOf(transaction);
  const puts = transaction.effects.filter((effect) => effect.is(put));
  if (cuts.length === 0 && puts.length === 0) return ends;
  const next = cutEnds(ends, cuts, usual);
  for (const { value } of puts) {
    const first = transaction.newDoc.lineAt(Math.min(value.at, transaction.newDoc.length)).number - 1;
    for (const [at, end] of value.ends.entries()) if (first + at < next.length) next[first + at] = end;
  }
  return next;
}

interface LineEnds {
  /** For the editor that the text is changed in. */
  extension: Extension;
  /** The text to be saved. */
  written: (state: EditorState) => string;
}

export function keepLineEnds(text: string): LineEnds {
  const ends = endsOf(text);
  const usual = commonest(ends);
  if (ends.every((end) => end === usual))
    return { extension: [], written: ({ doc }) => doc.toString().replaceAll("\n", usual) };
  const field = StateField.define<Ends>({
    create: () => ends,
    update: (value, transaction) => (transaction.docChanged ? change(value, transaction, usual) : value),
  });
  const takenBack = invertedEffects.of((transaction) => {
    const value = transaction.startState.field(field);
    return cutsOf(transaction)
      .filter(({ removed }) => removed > 0)
      .map(({ at, first, removed }) => put.of({ at, ends: value.slice(first, first + removed) }));
  });
  return {
    extension: [field, takenBack],
    written(state) {
      const value = state.field(field);
      const lines = Array.from(state.doc.iterLines());
      return lines.map((line, at) => line + (at < lines.length - 1 ? (value[at] ?? usual) : "")).join("");
    },
  };
}
