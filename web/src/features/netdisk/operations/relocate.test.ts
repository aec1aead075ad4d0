import { describe, expect, it, vi } from "vitest";
import { type Answer, faultOfTarget, relocate, type Steps } from "./relocate";

const items = ["a", "b", "c"].map((name) => ({ from: `/home/${name}`, name }));

/** Names that are taken, and the answers to the questions about them. */
function setUp(taken: string[], answers: Answer[] = []) {
  const sent: string[] = [];
  const stopper = new AbortController();
  const progress = { signal: stopper.signal, step: vi.fn() };
  const patch = vi.fn<Steps["patch"]>(async (item, to, { override, rename }) => {
    sent.push(`${item.from} ${to}${override ? " override" : ""}${rename ? " rename" : ""}`);
    if (item.name === "large") return "going";
    if (item.name === "bad") throw new Error("没有权限");
    if (item.name === "lost") return "vanished";
    return taken.includes(item.name) && !override && !rename ? "taken" : "done";
  });
  const ask = vi.fn<Steps["ask"]>(async () => answers.shift() ?? null);
  return {
    sent,
    ask,
    stopper,
    progress,
    run: (list = items) => relocate({ verb: "copy", items: list, to: "/share/" }, { patch, ask }, progress),
  };
}

describe("copying and moving several", () => {
  it("goes one by one and asks nothing where names are free", async () => {
    const { sent, ask, run } = setUp([]);
    expect(await run()).toEqual({ done: items, going: [], vanished: [], failed: [], cancelled: false });
    expect(sent).toEqual(["/home/a /share/", "/home/b /share/", "/home/c /share/"]);
    expect(ask).not.toHaveBeenCalled();
  });

  it("S232 S233 a taken name is overwritten or renamed, each as it was answered", async () => {
    const { sent, run } = setUp(
      ["a", "c"],
      [
        { choice: "overwrite", forAll: false },
        { choice: "rename", forAll: false },
      ],
    );
    expect((await run()).done).toHaveLength(3);
    expect(sent).toEqual([
      "/home/a /share/",
      "/home/a /share/ override",
      "/home/b /share/",
      "/home/c /share/",
      "/home/c /share/ rename",
    ]);
  });

  it("one answer may hold for the rest", async () => {
    const { ask, run } = setUp(["a", "b", "c"], [{ choice: "rename", forAll: true }]);
    expect((await run()).done).toHaveLength(3);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it("stopping leaves the rest where it is and says what is done", async () => {
    const { sent, stopper, progress, run } = setUp([]);
    progress.step.mockImplementationOnce(() => stopper.abort());
    expect(await run()).toEqual({ done: [items[0]], going: [], vanished: [], failed: [], cancelled: true });
    expect(sent).toEqual(["/home/a /share/"]);
  });

  it("S234 cancelling leaves the rest where it is", async () => {
    const { sent, run } = setUp(["b"], [null]);
    expect(await run()).toEqual({ done: [items[0]], going: [], vanished: [], failed: [], cancelled: true });
    expect(sent.some((line) => line.startsWith("/home/c"))).toBe(false);
  });

  it("names what failed and goes on with the rest", async () => {
    const { run } = setUp([]);
    const result = await run([{ from: "/home/bad", name: "bad" }, ...items]);
    expect(result.failed).toEqual(["bad：没有权限"]);
    expect(result.done).toHaveLength(3);
  });

  it("tells apart what has vanished, and goes on with the rest", async () => {
    const { run } = setUp([]);
    const lost = { from: "/home/lost", name: "lost" };
    const result = await run([lost, ...items]);
    expect(result.vanished).toEqual([lost]);
    expect(result.failed).toEqual(["lost：已不在原来的位置"]);
    expect(result.done).toHaveLength(3);
  });

  it("what takes long goes on by itself while the rest is done", async () => {
    const { run } = setUp([]);
    const large = { from: "/home/large", name: "large" };
    expect(await run([large, ...items])).toEqual({
      done: items,
      going: [large],
      vanished: [],
      failed: [],
      cancelled: false,
    });
  });

  it("S237 nothing goes into itself", () => {
    const folder = [{ from: "/home/a", name: "a" }];
    expect(faultOfTarget(folder, "/home/a/")).toBe("不能放进自己里面");
    expect(faultOfTarget(folder, "/home/a/b/")).toBe("不能放进自己里面");
    expect(faultOfTarget(folder, "/home/ab/")).toBeUndefined();
    expect(faultOfTarget(folder, "/home/")).toBeUndefined();
  });
});
