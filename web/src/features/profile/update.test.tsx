import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve, updateInfo } from "@/test-server";
import AboutPage from "./AboutPage";

const offered = {
  ...updateInfo,
  configured: true,
  latestversion: "4.4.0",
  notes: "更快",
  size: 80 * 1024 ** 2,
};

function show(answers: Parameters<typeof serve>[0], role: 1 | 2 = 1) {
  const server = serve(answers, role);
  return { ...server, ...renderPage(AboutPage, { at: "/profile/about", role }) };
}

const panel = async () => {
  const title = await screen.findByRole("heading", { level: 2, name: "更新" });
  return within(title.closest("section") as HTMLElement);
};

describe("updates on the about page", () => {
  it("S333 S335 an administrator has the source asked, and sees what it offers", async () => {
    let known = { ...updateInfo, configured: true };
    const { user } = show({
      "GET /api/update": () => json(known),
      "GET /api/update/updateCheck": () => {
        known = offered;
        return json(known);
      },
    });
    const update = await panel();
    expect(update.getByText("还没有检查过更新源。")).toBeDefined();
    await user.click(update.getByRole("button", { name: "检查更新" }));
    expect(await update.findByText(/可以从 4\.3\.29 更新到 4\.4\.0（80\.00 MB）/)).toBeDefined();
    expect(screen.getByText(/更快/)).toBeDefined();
  });

  it("S334 an update is started after a question, for the version that was shown, and its progress is seen", async () => {
    let known: typeof updateInfo = offered;
    const { calls, user } = show({
      "GET /api/update": () => json(known),
      "GET /api/update/start": () => {
        known = { ...offered, state: "downloading", downloaded: 40 * 1024 ** 2 };
        return json(known, 202);
      },
    });
    const update = await panel();
    await user.click(update.getByRole("button", { name: "更新到 4.4.0" }));
    const question = await screen.findByRole("dialog", { name: "更新到 4.4.0？" });
    await user.click(within(question).getByRole("button", { name: "开始更新" }));
    expect(await update.findByText(/正在下载和检查 4\.4\.0：40\.00 MB \/ 80\.00 MB/)).toBeDefined();
    expect(calls.map(({ key }) => key)).toContain("GET /api/update/start");
    known = { ...offered, state: "restarting" };
    expect(await update.findByText(/服务正在重启/, {}, { timeout: 3000 })).toBeDefined();
  });

  it("a refusal is told in the server's words, and what failed before stays to be read", async () => {
    const failed = { version: "4.4.0", reason: "新版本试启动失败", time: "2026-11-20T10:00:00.000Z" };
    const { user } = show({
      "GET /api/update": () => json({ ...offered, failed, error: "更新源没有应答：404" }),
      "GET /api/update/start": () => problem(409, "update_running", "正在更新，请等待它完成"),
    });
    const update = await panel();
    expect(update.getByText(/更新到 4\.4\.0 没有成功，已退回 4\.3\.29/)).toBeDefined();
    expect(update.getByText(/新版本试启动失败/)).toBeDefined();
    expect(update.getByText("更新源没有应答：404")).toBeDefined();
    await user.click(update.getByRole("button", { name: "更新到 4.4.0" }));
    await user.click(await screen.findByRole("button", { name: "开始更新" }));
    expect(await screen.findByText("正在更新，请等待它完成")).toBeDefined();
  });

  it("without a source it says how to set one; others have no such panel", async () => {
    show({});
    const update = await panel();
    expect(update.getByText(/没有配置更新源/)).toBeDefined();
    expect(update.queryByRole("button")).toBeNull();
  });

  it("others only see that there is a new version", async () => {
    show({ "GET /api/update": () => json(offered) }, 2);
    expect(await screen.findByText(/有新版本 4\.4\.0/)).toBeDefined();
    expect(screen.queryByRole("heading", { level: 2, name: "更新" })).toBeNull();
  });
});
