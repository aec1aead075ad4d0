import { expect, it } from "vitest";
import { durationText } from "./duration";

it.each([
  [0.4, "0:00"],
  [134, "2:14"],
  [3723, "1:02:03"],
  [Number.POSITIVE_INFINITY, ""],
  [Number.NaN, ""],
])("%d seconds", (seconds, words) => expect(durationText(seconds)).toBe(words));
