import { describe, expect, it } from "vitest";
import { chartsOf } from "./CardsOverTime";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 0, minute)).toISOString();

describe("the lab's cards over time", () => {
  it("are drawn up to all that could be used, with their mean use where cards tell it", () => {
    const items = [
      { time: at(0), cards: 8, used: 2 },
      { time: at(5), cards: 6.5, used: 4, utilization: 71.4 },
    ];
    const charts = chartsOf({ items, span: 300 });
    expect(charts.map(({ title, max }) => [title, max])).toEqual([
      ["在用卡数", 8],
      ["平均利用率", 100],
    ]);
    expect(charts[0]?.format(6.5)).toBe("7 张");
    expect(charts[0]?.whole).toBe(true);
    expect(charts[1]?.format(71.4)).toBe("71%");
  });

  it("have no chart of use where no card tells it, and none at all without cards or before the first minute", () => {
    const charts = chartsOf({ items: [{ time: at(0), cards: 1, used: 0 }], span: 300 });
    expect(charts.map(({ title, max }) => [title, max])).toEqual([["在用卡数", 1]]);
    expect(chartsOf({ items: [{ time: at(0), cards: 0, used: 0 }], span: 300 })).toEqual([]);
    expect(chartsOf({ items: [], span: 300 })).toEqual([]);
  });
});
