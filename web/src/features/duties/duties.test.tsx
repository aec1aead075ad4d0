import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ClockState } from "@/shared/clock/api";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import type { DutyList } from "./api";
import DutiesPage from "./DutiesPage";
import { duty, failingLooks, inPortal, jumpedClock, keepTimes, listOf, rightClock } from "./mock";

function start(list: DutyList, clock: ClockState, others: Parameters<typeof serve>[0] = {}, at = "") {
  const server = serve({
    "GET /api/duties": () => json(list),
    "GET /api/clock": () => json(clock),
    ...others,
  });
  return { server, ...renderPage(DutiesPage, { at: `/settings/duties${at}` }) };
}

const rowOf = async (title: string) =>
  within((await screen.findByText(title)).closest("tr") ?? document.body);

// "5 秒前" stays true however slow the machine is.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("后台任务", () => {
  it("shows each duty with its last run, its period and its state", async () => {
    start(listOf(duty(), keepTimes({ portals: [inPortal({ last: null, next: null })] })), rightClock());
    const row = await rowOf("续期");
    for (const words of ["每分钟", "每个平台", "5 秒前", "3 毫秒", "1 小时后", "正常"]) {
      expect(row.getByText(words)).toBeTruthy();
    }
    const other = await rowOf("到期停止与释放");
    expect(other.getByText("仅主平台")).toBeTruthy();
    expect(other.getByText("等待首次运行")).toBeTruthy();
    expect(screen.queryByText("node-a")).toBeNull();
  });

  it("names the servers that fail, and shows these duties alone", async () => {
    const { user, search } = start(listOf(duty(), failingLooks), rightClock());
    const row = await rowOf("服务器巡检");
    expect(row.getByText("1 台服务器失败")).toBeTruthy();
    expect(row.getByRole("listitem").textContent).toBe("gpu-r02：连接被拒绝");
    expect(screen.getByText(/1 项失败/)).toBeTruthy();
    await user.click(screen.getByText("失败 1"));
    expect(search().get("state")).toBe("failed");
    await waitFor(() => expect(screen.queryByText("续期")).toBeNull());
    expect(screen.getByText("服务器巡检")).toBeTruthy();
  });

  it("opens a long error on demand", async () => {
    const error = `${"很长".repeat(40)}的尾巴`;
    const last = { started: new Date().toISOString(), tookMs: 3, error };
    const { user } = start(listOf(duty({ portals: [inPortal({ last })] })), rightClock());
    const row = await rowOf("续期");
    const details = row.getByText(/…$/).closest("details");
    expect(details?.open).toBe(false);
    await user.click(row.getByText(/…$/));
    expect(details?.open).toBe(true);
    expect(row.getByText(error)).toBeTruthy();
  });

  it("lists each portal under the duty and names the leader", async () => {
    const elsewhere = inPortal({ host: "node-b", here: false, last: null });
    start(listOf(duty({ portals: [inPortal(), elsewhere] })), rightClock());
    expect(await screen.findByText("node-b")).toBeTruthy();
    expect(screen.getByText("共 1 项 · 主平台 node-a")).toBeTruthy();
    expect(screen.getAllByRole("button", { name: "立即运行 续期" })).toHaveLength(1);
  });

  it("runs a duty at once, and says why the server refuses", async () => {
    const words = "系统时间异常，这项任务已暂停";
    const { user, server } = start(listOf(duty(), keepTimes()), rightClock(), {
      "POST /api/duties/leases/run": () => json(duty(), 202),
      "POST /api/duties/keep-times/run": () => problem(409, "clock_not_trusted", words),
    });
    await user.click(await screen.findByRole("button", { name: "立即运行 续期" }));
    expect(await screen.findByText("已开始运行：续期")).toBeTruthy();
    await waitFor(() => expect(server.count("GET /api/duties")).toBeGreaterThan(1));
    await user.click(screen.getByRole("button", { name: "立即运行 到期停止与释放" }));
    expect(await screen.findByText(words)).toBeTruthy();
  });

  it("says what did not come and tries again", async () => {
    let down = true;
    const { user } = start(listOf(), rightClock(), {
      "GET /api/duties": () => (down ? problem(500, "internal", "数据库没有回应") : json(listOf(duty()))),
    });
    expect(await screen.findByText("后台任务没有取到")).toBeTruthy();
    expect(screen.getByText("数据库没有回应")).toBeTruthy();
    down = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("续期")).toBeTruthy();
  });
});

describe("系统时间", () => {
  it("is one calm line while it is trusted", async () => {
    const witness = { kind: "database", name: "", time: "2026-11-20T10:00:00Z", independent: true } as const;
    start(listOf(duty()), rightClock([{ ...witness, aheadMs: -2000 }]));
    expect(await screen.findByText("系统时间正常")).toBeTruthy();
    expect(screen.getByText("已与其他 1 个时钟核对，最多比数据库慢 2 秒")).toBeTruthy();
  });

  it("says what happened, holds what needs it, and is released after a question", async () => {
    let clock = jumpedClock();
    const { user, server } = start(listOf(duty(), keepTimes()), clock, {
      "GET /api/clock": () => json(clock),
      "POST /api/clock/release": () => {
        clock = rightClock();
        return json(clock);
      },
    });
    expect(await screen.findByText("系统时间异常：比平台时间快 40 天")).toBeTruthy();
    const witnesses = within(screen.getByRole("table", { name: "其他时钟" }));
    expect(witnesses.getByText("本机单调时钟")).toBeTruthy();
    expect(witnesses.getByText("服务器 gpu-r02")).toBeTruthy();
    expect(witnesses.getByText("快 40 天")).toBeTruthy();
    const row = await rowOf("到期停止与释放");
    expect(row.getByText("已暂停（系统时间异常）")).toBeTruthy();
    const run = row.getByRole("button", { name: "立即运行 到期停止与释放" });
    expect(run).toHaveProperty("disabled", true);
    expect(run.title).toBe("系统时间异常，任务已暂停");

    await user.click(screen.getByRole("button", { name: "系统时间是对的，恢复" }));
    expect(await screen.findByText(/已经到期的实例会被停止或释放/)).toBeTruthy();
    expect(server.count("POST /api/clock/release")).toBe(0);
    await user.click(screen.getByRole("button", { name: "恢复" }));
    expect(await screen.findByText("已恢复，暂停的任务继续运行")).toBeTruthy();
    expect(await screen.findByText("系统时间正常")).toBeTruthy();
    await waitFor(() => expect(run).toHaveProperty("disabled", false));
  });

  it("says that a jump does not end by itself", async () => {
    start(listOf(duty()), { ...jumpedClock(), releaseAt: null });
    expect(await screen.findByText(/不会自动恢复/)).toBeTruthy();
  });

  it("says why it is still held after its time", async () => {
    const clock = jumpedClock();
    start(listOf(duty()), { ...clock, releaseAt: clock.heldSince });
    expect(await screen.findByText(/已经过了自动恢复的时间/)).toBeTruthy();
  });
});
