import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Alert } from "@/shared/alerts/api";
import { alert } from "@/shared/alerts/mock";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import AlertsPage from "./AlertsPage";

function start(items: Alert[], others: Parameters<typeof serve>[0] = {}) {
  const server = serve({ "GET /api/alerts": () => json({ items, total: items.length }), ...others });
  return { server, ...renderPage(AlertsPage, { at: "/settings/alerts" }) };
}

const rowOf = async (text: string) => within((await screen.findByText(text)).closest("tr") ?? document.body);

describe("告警", () => {
  it("shows what is wrong, how much it matters and where to look", async () => {
    start([
      alert(),
      alert({ id: "2", kind: "disk_full", severity: "warning", name: "数据目录", words: "已用 91%" }),
      alert({ id: "3", name: "gpu-r03", state: "resolved", resolved: "2026-11-20T03:00:00.000Z" }),
    ]);
    const lost = await rowOf("服务器失联 · gpu-r02");
    expect(lost.getByText("严重")).toBeTruthy();
    const link = lost.getByRole("link", { name: "查看 服务器失联 gpu-r02" });
    expect(link.getAttribute("href")).toBe("/servers/server_detail/0190");
    expect((await rowOf("磁盘快满 · 数据目录")).getByText("警告")).toBeTruthy();
    const over = await rowOf("服务器失联 · gpu-r03");
    expect(over.getByText("已恢复")).toBeTruthy();
    const silence = over.getByRole("button", { name: "静默 服务器失联 gpu-r03" });
    expect(silence).toHaveProperty("disabled", true);
    expect(silence.title).toBe("告警已经恢复");
  });

  it("names a backup that is too old, leads to the backups, and filters by it", async () => {
    const words = "数据库没有新的备份：上次成功的备份在 4 天前";
    const one = alert({ kind: "backup_old", name: "数据库", words, link: "/settings/backups" });
    const asked: (string | null)[] = [];
    const answer = (request: Request) => {
      asked.push(new URL(request.url).searchParams.get("kind"));
      return json({ items: [one], total: 1 });
    };
    const { user } = start([], { "GET /api/alerts": answer });
    const old = await rowOf("备份失败或过旧 · 数据库");
    expect(old.getByText(words)).toBeTruthy();
    const link = old.getByRole("link", { name: "查看 备份失败或过旧 数据库" });
    expect(link.getAttribute("href")).toBe("/settings/backups");
    await user.click(screen.getByRole("combobox", { name: "类型" }));
    await user.click(await screen.findByTitle("备份失败或过旧"));
    await waitFor(() => expect(asked).toContain("backup_old"));
  });

  it("silences an alert for as long as is chosen", async () => {
    let one = alert();
    const { user, server } = start([], {
      "GET /api/alerts": () => json({ items: [one], total: 1 }),
      "POST /api/alerts/0191/silence": () => {
        one = alert({ state: "silenced", silencedBy: "admin", silencedUntil: "2026-11-21T02:00:00.000Z" });
        return json(one);
      },
      "DELETE /api/alerts/0191/silence": () => {
        one = alert();
        return json(one);
      },
    });
    await user.click(await screen.findByRole("button", { name: "静默 服务器失联 gpu-r02" }));
    await user.click(await screen.findByRole("menuitem", { name: "1 天" }));
    expect(await screen.findByText("已静默 1 天")).toBeTruthy();
    const asked = server.calls.find(({ key }) => key === "POST /api/alerts/0191/silence");
    expect(asked?.body).toBe(JSON.stringify({ hours: 24 }));
    const row = await rowOf("服务器失联 · gpu-r02");
    expect(await row.findByText("已静默")).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: "取消静默 服务器失联 gpu-r02" }));
    expect(await screen.findByText("已取消静默")).toBeTruthy();
    expect(await screen.findByRole("button", { name: "静默 服务器失联 gpu-r02" })).toBeTruthy();
  });

  it("says why an alert can't be silenced", async () => {
    const words = "这条告警已经恢复，请刷新后再试";
    const { user } = start([alert()], {
      "POST /api/alerts/0191/silence": () => problem(409, "alert_resolved", words),
    });
    await user.click(await screen.findByRole("button", { name: "静默 服务器失联 gpu-r02" }));
    await user.click(await screen.findByRole("menuitem", { name: "1 小时" }));
    expect(await screen.findByText(words)).toBeTruthy();
  });

  it("says that nothing is wrong, and what did not come", async () => {
    let down = true;
    const { user } = start([], {
      "GET /api/alerts": () =>
        down ? problem(500, "internal", "数据库没有回应") : json({ items: [], total: 0 }),
    });
    expect(await screen.findByText("数据库没有回应")).toBeTruthy();
    down = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("没有告警")).toBeTruthy();
    await waitFor(() => expect(screen.queryByText("数据库没有回应")).toBeNull());
  });
});
