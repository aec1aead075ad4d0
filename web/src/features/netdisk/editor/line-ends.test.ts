import { history, redo, undo } from "@codemirror/commands";
import { EditorState, type TransactionSpec } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { keepLineEnds } from "./line-ends";

/** Opens a text; `change` changes it, `written` is the content to be saved. */
function open(text: string) {
  const { extension, written } = keepLineEnds(text);
  let state = EditorState.create({ doc: text, extensions: [history(), extension] });
  const take = (next: EditorState) => {
    state = next;
  };
  const dispatch = (transaction: { state: EditorState }) => take(transaction.state);
  return {
    change: (spec: TransactionSpec) => take(state.update(spec).state),
    undo: () => undo({ state, dispatch }),
    redo: () => redo({ state, dispatch }),
    written: () => written(state),
  };
}

const mixed = "one\r\ntwo\nthree\rfour\r\n\r\nend";

describe("line ends", () => {
  it.each(["", "one line", "a\nb\n", "a\r\nb\r\n", "a\rb\r", mixed, "\n\r\n\r\r\n"])(
    "are written as they were read: %j",
    (text) => {
      expect(open(text).written()).toBe(text);
    },
  );

  it("of lines that nobody touched stay, whatever is written into others", () => {
    const area = open(mixed);
    // In the first line, and a line of its own after "two".
    area.change({
      changes: [
        { from: 0, insert: "x" },
        { from: 7, insert: "\nnew" },
      ],
    });
    expect(area.written()).toBe("xone\r\ntwo\nnew\nthree\rfour\r\n\r\nend");
    area.undo();
    expect(area.written()).toBe(mixed);
    area.redo();
    expect(area.written()).toBe("xone\r\ntwo\nnew\nthree\rfour\r\n\r\nend");
  });

  it("come back with the lines that were deleted", () => {
    const area = open(mixed);
    area.change({ changes: { from: 0, to: 23 } });
    expect(area.written()).toBe("");
    area.undo();
    expect(area.written()).toBe(mixed);
  });

  it("come back one by one when several steps are taken back together", () => {
    const area = open("a\r\nb\nc\rd");
    // Three breaks at the same place, after the text between them.
    for (let step = 0; step < 5; step += 1)
      area.change({ changes: { from: 1, to: 2 }, userEvent: "delete.forward" });
    expect(area.written()).toBe("ad");
    while (area.undo());
    expect(area.written()).toBe("a\r\nb\nc\rd");
  });

  it("of as many lines put in place of others are those", () => {
    const area = open(mixed);
    area.change({ changes: { from: 0, to: 13, insert: "1\n2\n3" } });
    expect(area.written()).toBe("1\r\n2\n3\rfour\r\n\r\nend");
  });

  it("of a text with one kind are that kind in new lines too", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const area = open(`a${end}b`);
      area.change({ changes: { from: 1, insert: "\nx" } });
      expect(area.written()).toBe(`a${end}x${end}b`);
    }
    const area = open("no end");
    area.change({ changes: { from: 6, insert: "\n" } });
    expect(area.written()).toBe("no end\n");
  });
});
