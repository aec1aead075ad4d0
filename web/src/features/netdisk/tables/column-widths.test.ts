import { describe, expect, it } from "vitest";
import { columnsOf } from "./column-widths";

describe("columns", () => {
  it("are as wide as what they hold, within limits; numbers stand on the right", () => {
    const [id, name, long, mixed, empty] = columnsOf(
      ["id", "名称", "long", "mixed", "empty"],
      [
        ["1", "样本", "x".repeat(500), "模型", ""],
        ["-2.5e3", "样本二", "", "1", ""],
        ["12,345", "", "", "2", ""],
        ["3%", "", "", "3", ""],
        ["4", "", "", "4", ""],
      ],
    );
    expect(id).toMatchObject({ right: true, width: 65 });
    expect(name?.right).toBe(false);
    expect(long?.width).toBe(320);
    expect(mixed?.right).toBe(true);
    expect(empty).toMatchObject({ right: false, width: 64 });
  });

  it("a cell of digits without an end does not take for ever", () => {
    const cell = `${"1".repeat(1_000_000)}x`;
    expect(columnsOf(["a"], [[cell]])[0]?.right).toBe(false);
  });
});
