import { describe, expect, it } from "vitest";
import { makeItem } from "../mock";
import {
  countOf,
  isDoubleTouch,
  isSelected,
  nothing,
  type Selection,
  type SelectionEvent,
  select,
} from "./selection";

const order = ["a", "b", "c", "d", "e"];
const made = (...events: SelectionEvent[]): Selection => events.reduce(select, nothing);
const items = order.map((name) => makeItem({ path: `/home/${name}` }));
const names = (selection: Selection) =>
  items
    .filter((item) => isSelected(selection, item))
    .map(({ name }) => name)
    .join("");
const all: SelectionEvent = { kind: "all" };
const settle: SelectionEvent = { kind: "settle", order };

describe("selection", () => {
  it("S215 a click selects one, S220 again deselects it", () => {
    expect(names(made({ kind: "pick", name: "a" }, { kind: "pick", name: "b" }))).toBe("b");
    expect(names(made({ kind: "pick", name: "a" }, { kind: "pick", name: "a" }))).toBe("");
  });

  it("S220 a click on one of several takes only that one away", () => {
    expect(names(made(all, settle, { kind: "pick", name: "c" }))).toBe("abde");
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
    expect(countOf(made(all, settle), 5)).toBe(5);
    expect(countOf(made(all, settle, { kind: "clear" }), 5)).toBe(0);
  });

  it("S221 all is selected before it has come, and what is taken away meanwhile stays away", () => {
    const some = made(all, { kind: "pick", name: "c" });
    expect(names(some)).toBe("abde");
    expect(countOf(some, 100_000)).toBe(99_999);
    expect(names(select(some, settle))).toBe("abde");
    expect(countOf(select(some, settle), 100_000)).toBe(4);
  });

  it("all is what was there then: nothing that others add, and nothing that was given up meanwhile", () => {
    const fresh = makeItem({ path: "/home/fresh" });
    expect(isSelected(made(all), fresh)).toBe(true);
    expect(isSelected(made(all, settle), fresh)).toBe(false);
    expect(names(made(all, { kind: "clear" }, settle))).toBe("");
    expect(names(made(all, { kind: "only", name: "b" }, settle))).toBe("b");
  });

  it("all is without what has no valid name", () => {
    const broken = makeItem({ path: "/home/\uFFFD", invalidName: true });
    expect(isSelected(made(all), broken)).toBe(false);
    expect(isSelected(made({ kind: "only", name: "\uFFFD" }), broken)).toBe(true);
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
