import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { makeInstance } from "@/shared/compute/mock";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import ManagePage from "./ManagePage";

const GB = 1024 ** 3;
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const frozen = makeInstance({ id: "i1", name: "ins_zhangmin_GPUaaaaa", frozen: "disk" });
const room = { total: 1000 * GB, datasets: 0, quota: 5 * GB, counted: ago(4) };

function start(instance = frozen) {
  let full = true;
  const served = serve({
    "GET /api/instances": () => json({ items: [full ? instance : { ...instance, frozen: null }], total: 1 }),
    "GET /api/servers": () => json({ items: [], total: 0 }),
    "GET /api/users/public": () => json({ items: [], total: 0 }),
    "GET /disk/api/usage/home/zhangmin/": () => json({ ...room, used: 6 * GB }),
    "POST /api/instances/i1/go-on": () => {
      if (served.count("POST /api/instances/i1/go-on") === 1)
        return problem(
          409,
          "disk_quota_exceeded",
          "空间还不够：已用 6.00 GB，共 5.00 GB。清理网盘和回收站后再试",
        );
      full = false;
      return json({ ...instance, frozen: null }, 202);
    },
  });
  return { ...served, ...renderPage(ManagePage, { at: "/servers/instance_manage" }) };
}

describe("a frozen instance", () => {
  it("says why, and goes on by one button once there is room", async () => {
    const { user } = start();
    expect(await screen.findByText("已冻结")).toBeTruthy();
    expect(screen.getAllByText("网盘已用完配额").length).toBeGreaterThan(0);
    await user.click(screen.getByRole("button", { name: /清理空间并继续/ }));
    const dialogue = within(await screen.findByRole("dialog"));
    expect(await dialogue.findByText("网盘已用 6.00 GB，共 5.00 GB（统计于 4 分钟前）")).toBeTruthy();
    expect(dialogue.getByRole("link", { name: "打开网盘" }).getAttribute("href")).toBe("/netdisk/files");
    await user.click(dialogue.getByRole("button", { name: "继续运行" }));
    expect(await dialogue.findByText(/空间还不够/)).toBeTruthy();
    await user.click(dialogue.getByRole("button", { name: "继续运行" }));
    await waitFor(() => expect(screen.queryByText("已冻结")).toBeNull());
  });

  it("whose root is full is told to make room inside", async () => {
    const root = { used: 12 * GB, limit: 10 * GB, counted: ago(1) };
    const { user } = start({ ...frozen, frozen: "root", root });
    await user.click(await screen.findByRole("button", { name: /清理空间并继续/ }));
    const dialogue = within(await screen.findByRole("dialog"));
    expect(await dialogue.findByText("系统盘已用 12.00 GB，共 10.00 GB（统计于 1 分钟前）")).toBeTruthy();
    expect(dialogue.getByText(/系统盘只能在实例里清理/)).toBeTruthy();
  });
});
