import { describe, expect, it } from "vitest";
import { gpuNumbers } from "./gpu-numbers";

describe("the numbers of equal cards", () => {
  it.each([
    ["0-3", [0, 1, 2, 3]],
    ["7", [7]],
    ["0-1，6、4", [0, 1, 4, 6]],
    ["1 1-2", [1, 2]],
    ["0–2", [0, 1, 2]],
  ])("%s", (text, numbers) => {
    expect(gpuNumbers(text)).toEqual(numbers);
  });

  it.each(["", "3-0", "a", "0-", "0-100", "9999", "-1", "0-63,64", "1.5"])("%s is none", (text) => {
    expect(gpuNumbers(text)).toBeNull();
  });
});
