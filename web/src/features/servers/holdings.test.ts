import { expect, it } from "vitest";
import { holdingsOf } from "./holdings";

const since = "2026-11-22T00:00:00Z";
const lease = (instance: string, mine = false) => ({ instance, mine, since, username: instance.slice(4) });

it("cards are gathered by instance, with one's own first", () => {
  const gpus = [
    { index: 0, lease: lease("ins_wang") },
    { index: 1, lease: lease("ins_me", true) },
    { index: 2, lease: null },
    { index: 3, lease: lease("ins_wang") },
    { index: 4, lease: undefined },
  ];
  expect(holdingsOf(gpus).map(({ username, cards }) => [username, cards])).toEqual([
    ["me", [1]],
    ["wang", [0, 3]],
  ]);
  expect(holdingsOf([])).toEqual([]);
});
