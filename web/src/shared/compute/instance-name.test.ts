import { describe, expect, it } from "vitest";
import { calledBy, inFull } from "@/shared/lib/person-name";
import { labelOf, titleOf } from "./instance-name";

describe("U8 what an instance is called", () => {
  const name = "ins_zhangmin_GPUk3f9x";
  it.each([
    ["", name, name],
    ["  ", name, name],
    [" 检测实验 ", "检测实验", `检测实验（${name}）`],
  ])("%j: %s", (note, title, label) => {
    expect(titleOf({ name, note })).toBe(title);
    expect(labelOf({ name, note })).toBe(label);
  });
});

describe("U18 what people are called", () => {
  it.each([
    [undefined, "zhangmin", "zhangmin", "zhangmin"],
    ["", "zhangmin", "zhangmin", "zhangmin"],
    ["zhangmin", "zhangmin", "zhangmin", "zhangmin"],
    ["张敏", "zhangmin", "张敏", "张敏 zhangmin"],
  ])("%j %s", (name, username, short, full) => {
    const person = name === undefined ? { username } : { name, username };
    expect(calledBy(person)).toBe(short);
    expect(inFull(person)).toBe(full);
  });
});
