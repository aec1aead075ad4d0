import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import { KernelLog } from "./KernelLog";
import { isWarning, levelLook, uptimeText } from "./kernel-log";

const line = (sinceBootMs: number, level: number, text: string) => ({
  time: "2026-11-20T10:00:00.000Z",
  sinceBootMs,
  level,
  text,
});

const log = { items: [line(1, 6, "Linux version 6.1.0"), line(2, 3, "NVRM: Xid 79")], leftOut: 7 };
const machine = { bootId: "0a1b", uptimeMs: 90_000_000, clock: "2026-11-20T10:00:00.000Z", storage: null };

function start(answers: Parameters<typeof serve>[0], allowed = true) {
  serve({ "GET /api/servers/s1/machine": () => json(machine), ...answers });
  const server = { id: "s1", name: "gpu01", state: "online" } as const;
  return renderPage(() => <KernelLog server={server} allowed={allowed} />, { at: "/servers/s1" });
}

describe("a kernel's log", () => {
  it("tells warnings and worse from the rest", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7].filter((level) => isWarning({ level }))).toEqual([0, 1, 2, 3, 4]);
    const labels = [0, 3, 4, 6, 7].map((level) => levelLook(level).label);
    expect(labels).toEqual(["严重", "错误", "警告", "信息", "调试"]);
  });

  it("says how long the machine has been up in two units", () => {
    expect(uptimeText(59_000)).toBe("0 分钟");
    expect(uptimeText(5 * 3_600_000 + 90_000)).toBe("5 小时 1 分钟");
    expect(uptimeText(86_400_000 * 3 + 3_600_000)).toBe("3 天 1 小时");
  });

  it("is asked for when somebody wants it, and shows warnings alone on demand", async () => {
    let asked = 0;
    const { user } = start({
      "GET /api/servers/s1/kernel-log": () => {
        asked += 1;
        return json(log);
      },
    });
    expect(screen.getByText("还没有读取")).toBeTruthy();
    expect(asked).toBe(0);
    await user.click(screen.getByRole("button", { name: "读取" }));
    const list = await screen.findByRole("list", { name: "gpu01 的内核日志" });
    expect(within(list).getAllByRole("listitem")).toHaveLength(3);
    expect(within(list).getByText("更早的 7 行没有显示")).toBeTruthy();
    expect(await screen.findByText("已运行 1 天 1 小时")).toBeTruthy();
    await user.click(screen.getByRole("switch", { name: "警告及以上" }));
    expect(within(list).queryByText("Linux version 6.1.0")).toBeNull();
    expect(within(list).getByText("NVRM: Xid 79")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "刷新" }));
    await waitFor(() => expect(asked).toBe(2));
  });

  it("says what the server says when it can't be read, and can be tried again", async () => {
    const why = "服务器的容器引擎拒绝启动主机助手：denied";
    let fails = true;
    const { user } = start({
      "GET /api/servers/s1/kernel-log": () =>
        fails ? problem(409, "machine_helper_refused", why) : json({ items: [], leftOut: 0 }),
    });
    await user.click(screen.getByRole("button", { name: "读取" }));
    expect(await screen.findByText(why)).toBeTruthy();
    fails = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("内核日志是空的")).toBeTruthy();
  });

  it("can't be asked for where the server's settings forbid it", () => {
    start({}, false);
    expect(screen.getByRole("button", { name: "读取" })).toHaveProperty("disabled", true);
    expect(screen.getByText("服务器的设置不允许使用主机助手")).toBeTruthy();
  });
});
