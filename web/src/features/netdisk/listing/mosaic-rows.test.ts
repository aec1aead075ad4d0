import { describe, expect, it } from "vitest";
import { makeItem } from "../mock";
import { cardAcross, mosaicRows, rowOf } from "./mosaic-rows";

const items = [
  ...["d1", "d2"].map((name) => makeItem({ path: `/home/${name}`, isDir: true })),
  ...["f1", "f2", "f3", "f4", "f5"].map((name) => makeItem({ path: `/home/${name}` })),
];
const rows = mosaicRows(items, 3, { folders: 2, files: 5 });

describe("the rows of the mosaic", () => {
  it("has folders, then files, each under its heading", () => {
    expect(rows.map((row) => (row.kind === "head" ? row.text : row.items.map(({ name }) => name)))).toEqual([
      "文件夹 2",
      ["d1", "d2"],
      "文件 5",
      ["f1", "f2", "f3"],
      ["f4", "f5"],
    ]);
  });

  it("shows no heading over nothing", () => {
    expect(mosaicRows(items.slice(2), 3, { folders: 0, files: 5 })[0]).toEqual({
      kind: "head",
      text: "文件 5",
    });
    expect(mosaicRows([], 3, { folders: 0, files: 0 })).toEqual([]);
  });

  it("goes up and down within the column, to the last card of a shorter row", () => {
    expect(rowOf(rows, 2)).toBe(3);
    expect(cardAcross(rows, 0, 1)).toBe(2);
    expect(cardAcross(rows, 1, 1)).toBe(3);
    expect(cardAcross(rows, 4, 1)).toBe(6);
    expect(cardAcross(rows, 4, -1)).toBe(1);
    expect(cardAcross(rows, 0, -1)).toBe(0);
    expect(cardAcross(rows, 6, 1)).toBe(6);
    expect(cardAcross(rows, -1, 1)).toBe(0);
  });
});
