import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, person, serve } from "@/test-server";
import type { UsageRow } from "./api";
import { barsOf } from "./bars";
import { daysOf, isDay, labToday, periodsOf } from "./days";
import UsagePage from "./UsagePage";

const figures = {
  heldHours: 12,
  usedHours: 1,
  unmeasuredHours: 10,
  utilization: 50,
  cpuHours: 0.5,
  instances: 1,
};

describe("days of the lab", () => {
  it("are those of its own time, wherever the reader is", () => {
    expect(labToday(Date.parse("2026-11-20T15:59:59Z"))).toBe("2026-11-20");
    expect(labToday(Date.parse("2026-11-20T16:00:00Z"))).toBe("2026-11-21");
    expect([isDay("2026-11-31"), isDay("2026-11-30"), isDay(null)]).toEqual([false, true, false]);
  });

  it.each([
    ["week", "2026-11-22", "2026-11-16", "2026-11-22"],
    ["week", "2026-11-23", "2026-11-23", "2026-11-23"],
    ["month", "2026-11-22", "2026-11-01", "2026-11-22"],
    ["last", "2026-03-31", "2026-02-01", "2026-02-28"],
    ["last", "2026-01-05", "2025-12-01", "2025-12-31"],
    ["30d", "2026-11-22", "2026-10-24", "2026-11-22"],
  ] as const)("%s on %s is %s to %s", (range, today, from, to) => {
    expect(daysOf(range, today)).toEqual({ from, to });
  });

  it("leave no gap on the axis", () => {
    const periods = periodsOf({ from: "2026-10-30", to: "2026-11-02" }, "day");
    expect(periods).toEqual(["2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02"]);
    expect(periodsOf({ from: "2025-12-31", to: "2026-02-01" }, "month")).toEqual([
      "2025-12",
      "2026-01",
      "2026-02",
    ]);
    expect(barsOf([{ period: "2026-11-01", ...figures }], periods.slice(1, 3))).toEqual([
      { label: "10-31", used: 0, idle: 0, unmeasured: 0 },
      { label: "11-01", used: 1, idle: 1, unmeasured: 10 },
    ]);
  });
});

describe("用量统计", () => {
  const row: UsageRow = { id: 7, name: "zhangmin", fullName: "张敏", period: "2026-11-20", ...figures };
  const queries: URLSearchParams[] = [];
  const people: (string | null)[] = [];
  const answers = (rows: UsageRow[]) => ({
    "GET /api/usage": (request: Request) => {
      queries.push(new URL(request.url).searchParams);
      return json({ items: rows, total: rows.length, sum: figures, points: [], until: null });
    },
    "GET /api/users/public": (request: Request) => {
      people.push(new URL(request.url).searchParams.get("led"));
      return json({ items: [], total: 0 });
    },
    "GET /api/groups": () => json({ items: [], total: 0 }),
  });

  it("of one's own has no names, and nothing of others is asked for whatever the address says", async () => {
    serve(answers([row]));
    renderPage(UsagePage, { at: "/servers/usage?person=3&subject=group", role: 2, me: 7 });
    const cells = within((await screen.findByText("2026-11-20")).closest("tr") ?? document.body);
    expect(cells.getByText("50%")).toBeTruthy();
    expect(screen.queryByText("张敏 zhangmin")).toBeNull();
    const asked = Object.fromEntries(queries.at(-1) ?? []);
    expect(asked).toMatchObject({ by: "day", subject: "person", sort: "period", order: "desc" });
    expect(asked).not.toHaveProperty("person");
  });

  it("of leaders has the people of their groups, and what was not measured is said", async () => {
    const leader = { ...person(2), groups: [{ id: 5, name: "计算机视觉", leader: true }] };
    serve({
      ...answers([{ ...row, id: 8, name: "chenyu", fullName: "陈宇", utilization: null }]),
      "GET /api/users/7": () => json(leader),
    });
    renderPage(UsagePage, { at: "/servers/usage", role: 2, me: 7 });
    const cells = within((await screen.findByText("陈宇 chenyu")).closest("tr") ?? document.body);
    expect(cells.getByText("未测量")).toBeTruthy();
    expect(people).toEqual(["true"]);
    expect(cells.getByRole("link", { name: "陈宇 chenyu" }).getAttribute("href")).toBe(
      "/servers/usage?person=8",
    );
  });
});
