import { describe, expect, it } from "vitest";
import { isDoubleTouch, nothing, type Selection, type SelectionEvent, select } from "./selection";

const order = ["a", "b", "c", "d", "e"];
const made = (...events: SelectionEvent[]): Selection => events.reduce(select, nothing);
const names = (selection: Selection) => Array.from(selection.names).sort().join("");

describe("selection", () => {
  it("S215 a click selects one, S220 again deselects it", () => {
    expect(names(made({ kind: "pick", name: "a" }, { kind: "pick", name: "b" }))).toBe("b");
    expect(names(made({ kind: "pick", name: "a" }, { kind: "pick", name: "a" }))).toBe("");
  });

  it("S220 a click on one of several takes only that one away", () => {
    expect(names(made({ kind: "all", order }, { kind: "pick", name: "c" }))).toBe("abde");
  });

  it("S217 Ctrl adds and takes away", () => {
    const both = made({ kind: "pick", name: "a" }, { kind: "toggle", name: "c" });
    expect(names(both)).toBe("ac");
    expect(names(select(both, { kind: "toggle", name: "a" }))).toBe("c");
  });

  it("S219 Shift selects from the anchor, in both directions, and the anchor stays", () => {
    const down = made({ kind: "pick", name: "b" }, { kind: "range", name: "d", order });
    expect(names(down)).toBe("bcd");
    expect(names(select(down, { kind: "range", name: "a", order }))).toBe("ab");
    expect(names(made({ kind: "range", name: "b", order }))).toBe("ab");
  });

  it("a range whose anchor is gone selects what was clicked", () => {
    expect(names(made({ kind: "pick", name: "zz" }, { kind: "range", name: "b", order }))).toBe("b");
  });

  it("S221 S222 all, and none", () => {
    const all = made({ kind: "all", order });
    expect(all.names.size).toBe(5);
    expect(select(all, { kind: "clear" }).names.size).toBe(0);
  });

  it("the keyboard walks without selecting", () => {
    const walked = made({ kind: "only", name: "a" }, { kind: "walk", name: "b" });
    expect(names(walked)).toBe("a");
    expect(walked.active).toBe("b");
  });

  it("S224 two touches within 300 ms open, later or elsewhere they do not", () => {
    const last = { name: "a", at: 1000 };
    expect(isDoubleTouch(last, "a", 1300)).toBe(true);
    expect(isDoubleTouch(last, "a", 1301)).toBe(false);
    expect(isDoubleTouch(last, "b", 1100)).toBe(false);
    expect(isDoubleTouch(null, "a", 1100)).toBe(false);
  });
});
