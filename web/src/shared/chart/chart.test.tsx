import { fireEvent, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ChartGrid } from "@/shared/compute/ChartGrid";
import { renderPage } from "@/shared/list/render-page";
import type { ChartOf } from "./Chart";
import { mixed } from "./mix";
import { chooseRange, makePointing } from "./pointing";
import { axisText, momentText, topOf } from "./scale";
import { columnsOf, lineOf, type Series, spacingOf, valueAt } from "./series";

const MINUTE = 60_000;
const start = Date.UTC(2026, 10, 22, 0, 0);
const line = (name: string, values: readonly (number | null)[], minutes = 1): Series => ({
  name,
  points: values.map((value, at) => [start + at * minutes * MINUTE, value]),
});

describe("the end of a scale", () => {
  const of = (change: Partial<Parameters<typeof topOf>[0]>) =>
    topOf({ max: undefined, highest: 0, base: 1000, whole: false, ...change });

  it.each([
    [{ max: 100, highest: 40 }, 100],
    // What was measured may exceed what should be possible.
    [{ max: 100, highest: 120 }, 120],
    [{ highest: 137 }, 200],
    [{ highest: 3 }, 4],
    [{ highest: 0 }, 1],
    [{ whole: true, max: 7, highest: 3 }, 8],
    [{ whole: true, highest: 1 }, 2],
    [{ base: 1024, max: 23.99 * 1024 ** 3, highest: 0 }, 24 * 1024 ** 3],
    [{ base: 1024, highest: 3.6 * 1024 ** 2 }, 4 * 1024 ** 2],
  ])("%j: %d", (change, top) => expect(of(change)).toBe(top));
});

describe("moments", () => {
  it("are as exact as the span allows", () => {
    const at = new Date(2026, 10, 22, 15, 32, 10).getTime();
    expect(momentText(at, [at - 30 * MINUTE, at])).toBe("15:32:10");
    expect(momentText(at, [at - 24 * 60 * MINUTE, at])).toBe("15:32");
    expect(momentText(at, [at - 7 * 24 * 60 * MINUTE, at])).toBe("11-22 15:32");
    expect(axisText(at, [at - 7 * 24 * 60 * MINUTE, at])).toBe("11-22");
  });
});

describe("what was measured at a moment", () => {
  const series = line("卡 0", [10, 20, null, 40]);

  it("is the nearest value, and nothing in a gap or too far away", () => {
    expect(valueAt(series, start + 0.9 * MINUTE, MINUTE)).toBe(20);
    expect(valueAt(series, start + 2.1 * MINUTE, MINUTE)).toBeUndefined();
    expect(valueAt(series, start + 9 * MINUTE, MINUTE)).toBeUndefined();
    expect(valueAt({ name: "", points: [] }, start, MINUTE)).toBeUndefined();
  });

  it("knows how far samples are apart", () => {
    const samples = [0, 5, 10, 15, 60, 65].map((second) => ({
      time: new Date(start + second * 1000).toISOString(),
    }));
    expect(spacingOf([lineOf("", samples, 5, () => 1)])).toBe(5_000);
  });
});

describe("columns of a strip", () => {
  it("are means, hold between two samples, and are empty in gaps", () => {
    const series: Series = {
      name: "",
      points: [
        [start, 10],
        [start + 0.4 * MINUTE, 30],
        [start + 1 * MINUTE, 50],
        [start + 1 * MINUTE + 1, null],
        [start + 6 * MINUTE, 80],
      ],
    };
    const shown = [start, start + 8 * MINUTE] as const;
    expect(columnsOf(series, shown, 8, MINUTE)).toEqual([20, 50, 50, null, null, null, 80, 80]);
  });
});

describe("choosing a part of the time", () => {
  it("works in both directions, and a click chooses nothing", () => {
    const pointing = makePointing();
    const shown = [start, start + 100 * MINUTE] as const;
    chooseRange(pointing, start + 20 * MINUTE, start + 20.5 * MINUTE, shown);
    expect(pointing.getState().range).toBeNull();
    chooseRange(pointing, start + 60 * MINUTE, start + 20 * MINUTE, shown);
    expect(pointing.getState().range).toEqual([start + 20 * MINUTE, start + 60 * MINUTE]);
  });
});

it("colours lie between two", () => {
  expect(mixed("#000000", "#ff8040", 0.5)).toBe("rgb(128 64 32)");
  expect(mixed("#000000", "#ff8040", 7)).toBe("rgb(255 128 64)");
});

describe("charts that belong together", () => {
  const percent = (value: number) => `${Math.round(value)}%`;
  const minutes = 10;
  const values = [10, 20, 30, 40, 50, null, null, 80, 90, 100];
  const cards = (count: number) => Array.from({ length: count }, (_, card) => line(`卡 ${card}`, values));
  let charts: ChartOf[] = [];
  const answer = { error: null, isPending: false, dataUpdatedAt: start + 9 * MINUTE };
  // biome-ignore lint/correctness/noComponentHookFactories: only a test's page
  const Page = () => <ChartGrid charts={charts} minutes={minutes} answers={[answer]} none="没有" />;

  beforeEach(() => {
    vi.stubGlobal(
      "ResizeObserver",
      class {
        observe() {}
        disconnect() {}
      },
    );
  });

  it("say whose each value is, now and at the moment of the slider", () => {
    charts = [{ title: "GPU 利用率", series: cards(2), max: 100, format: percent }];
    renderPage(Page, { at: "/" });
    const figure = screen.getByRole("figure");
    expect(figure.textContent).toContain("卡 0 100%");
    expect(figure.textContent).toContain("卡 1 100%");
    const slider = screen.getByRole("slider", { name: "查看时刻" });
    fireEvent.change(slider, { target: { value: String(start + 2 * MINUTE) } });
    expect(figure.textContent).toContain("卡 0 30%");
    fireEvent.change(slider, { target: { value: String(start + 5.5 * MINUTE) } });
    expect(figure.textContent).toContain("卡 0 —");
    expect(slider.getAttribute("aria-valuetext")).toMatch(/GPU 利用率 卡 0 没有数据、卡 1 没有数据$/);
  });

  it("have a strip for each of eight cards, with all eight values", () => {
    charts = [{ title: "GPU 利用率", series: cards(8), max: 100, format: percent }];
    renderPage(Page, { at: "/" });
    const figure = screen.getByRole("figure");
    expect(within(figure).getAllByText("100%")).toHaveLength(8);
    for (let card = 0; card < 8; card += 1) expect(within(figure).getByText(`卡 ${card}`)).toBeTruthy();
  });

  it("show a part of the time by the keyboard, and everything again", async () => {
    charts = [{ title: "GPU 利用率", series: cards(2), max: 100, format: percent }];
    const { user } = renderPage(Page, { at: "/" });
    fireEvent.keyDown(screen.getByRole("slider"), { key: "+" });
    expect(Number(screen.getByRole("slider").getAttribute("min"))).toBeGreaterThan(start - MINUTE);
    await user.click(screen.getByRole("button", { name: "显示全部" }));
    expect(screen.queryByRole("button", { name: "显示全部" })).toBeNull();
  });
});
