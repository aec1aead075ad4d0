import { describe, expect, it } from "vitest";
import { cutInMiddle } from "./middle-cut";

describe("the cut of a long name", () => {
  it.each([
    ["a.txt", "a.txt", ""],
    ["损失曲线.png", "损失曲线.png", ""],
    ["checkpoint_epoch_120_best.safetensors", "checkpoint_epoch_120_b", "est.safetensors"],
    [
      "这是一个名称很长的文件，扩展名是否还看得见.docx",
      "这是一个名称很长的文件，扩展名是否还",
      "看得见.docx",
    ],
    ["a-very-long-folder-name-without-ending", "a-very-long-folder-name-without-end", "ing"],
    // What follows the dot is no extension.
    ["v1.0 of something that is rather long", "v1.0 of something that is rather l", "ong"],
    ["数据".repeat(20), `${"数据".repeat(18)}数`, "据数据"],
  ])("%s", (name, start, end) => {
    expect(cutInMiddle(name)).toEqual([start, end]);
    expect(start + end).toBe(name);
  });

  it("splits no character in two", () => {
    const [start, end] = cutInMiddle("😀".repeat(20));
    expect(end).toBe("😀😀😀");
    expect(start).toBe("😀".repeat(17));
  });
});
