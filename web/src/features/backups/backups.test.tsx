import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import type { BackupList } from "./api";
import BackupsPage from "./BackupsPage";
import { database, failed, files, listOf, now, place, running } from "./mock";
import { ageText, isTooOld } from "./words";

function start(list: BackupList, others: Parameters<typeof serve>[0] = {}, at = "") {
  const server = serve({ "GET /api/backups": () => json(list), ...others });
  return { server, ...renderPage(BackupsPage, { at: `/settings/backups${at}` }) };
}

const last = async (name: string) => within(await screen.findByRole("region", { name: `${name}的备份` }));

describe("备份", () => {
  it("says first how old the last good ones are", async () => {
    start(listOf([failed, database(20), files(30)]));
    expect((await last("数据库")).getByText("20 小时前")).toBeTruthy();
    expect((await last("数据库")).getByText(/5\.00 MB，12,345 行，已试恢复/)).toBeTruthy();
    expect((await last("网盘文件")).getByText("30 小时前")).toBeTruthy();
    expect((await last("网盘文件")).getByText(/restic 2026-11-26/)).toBeTruthy();
    expect(screen.getByText("每天自动备份，保留最新的 14 份")).toBeTruthy();
    expect(screen.queryByText(/同一块盘/)).toBeNull();
  });

  it("lists each with its state and why it failed", async () => {
    start(listOf([failed, database(20, { encrypted: true, present: false })]));
    const table = within(await screen.findByRole("table", { name: "备份记录" }));
    expect(table.getByText("磁盘已满")).toBeTruthy();
    expect(table.getByText("yunlab-20.tar.zst")).toBeTruthy();
    expect(table.getByText("已加密，已删除")).toBeTruthy();
    expect(table.getAllByText("2 分钟")).toHaveLength(2);
    expect((await last("数据库")).getByText("文件已不在备份目录里")).toBeTruthy();
  });

  it("warns of what makes them worthless", async () => {
    start(listOf([database(100)], { settings: { ...place, keep: 0, besideData: true } }));
    expect(await screen.findByText(/备份与数据在同一块盘上/)).toBeTruthy();
    expect(screen.getByText(/自动备份已关闭，只有手动备份/)).toBeTruthy();
    expect((await last("数据库")).getByText(/超过 3 天/)).toBeTruthy();
  });

  it("says plainly what is in a backup that is not encrypted", async () => {
    start(listOf([database(20)]));
    expect(await screen.findByText(/拿到文件的人能控制所有服务器/)).toBeTruthy();
  });

  it("says nothing of it where they are encrypted", async () => {
    start(listOf([database(20)], { settings: { ...place, encrypted: true } }));
    await last("数据库");
    expect(screen.queryByText(/备份没有加密/)).toBeNull();
  });

  it("says where nothing is yet what comes", async () => {
    start(listOf([]));
    expect((await last("数据库")).getByText("还没有备份")).toBeTruthy();
    expect((await last("网盘文件")).getByText("没有记录")).toBeTruthy();
    expect(screen.getByText("平台运行一小时后自动做第一份")).toBeTruthy();
  });

  it("has one made, and says when one is going on already", async () => {
    let refuses = true;
    const { user, server } = start(listOf([database(20)]), {
      "POST /api/backups": () =>
        refuses ? problem(409, "backup_running", "正在备份，请等它完成") : json(running, 202),
    });
    await last("数据库");
    const button = screen.getByRole("button", { name: "立即备份" });
    await user.click(button);
    expect(await screen.findByText("正在备份，请等它完成")).toBeTruthy();
    refuses = false;
    await user.click(button);
    expect(await screen.findByText("已开始备份")).toBeTruthy();
    await waitFor(() => expect(server.count("GET /api/backups")).toBeGreaterThan(2));
  });

  it("has no second one made while one is going on", async () => {
    start(listOf([running, database(20)]));
    const button = await screen.findByRole("button", { name: "正在备份" });
    expect(button.hasAttribute("disabled")).toBe(true);
    expect((await last("数据库")).getByText("20 小时前")).toBeTruthy();
  });

  it("tells the commands, with the key where they are encrypted", async () => {
    start(listOf([database(20)], { settings: { ...place, encrypted: true } }));
    expect(
      await screen.findByText("yunlab admin restore 备份文件 --key 密钥文件 --data-dir 新的数据目录"),
    ).toBeTruthy();
    expect(screen.getByText(/没有它，加密的备份谁也打不开/)).toBeTruthy();
  });

  it("asks for the page in the address", async () => {
    const asked: (string | null)[] = [];
    const answer = (request: Request) => {
      asked.push(new URL(request.url).searchParams.get("page"));
      return json(listOf([database(20)], { total: 60 }));
    };
    start(listOf([]), { "GET /api/backups": answer }, "?page=2");
    await last("数据库");
    expect(asked).toEqual(["2"]);
  });

  it("says what did not come and tries again", async () => {
    let down = true;
    const { user } = start(listOf([]), {
      "GET /api/backups": () =>
        down ? problem(500, "internal", "数据库没有回应") : json(listOf([database(20)])),
    });
    expect(await screen.findByText("备份情况没有取到")).toBeTruthy();
    down = false;
    const [again] = screen.getAllByRole("button", { name: "重试" });
    if (again) await user.click(again);
    expect((await last("数据库")).getByText("20 小时前")).toBeTruthy();
  });
});

describe("the age of a backup", () => {
  const ago = (hours: number) => new Date(Date.parse(now) - hours * 3_600_000).toISOString();

  it.each([
    [-1, "刚刚"],
    [0.01, "刚刚"],
    [0.5, "30 分钟前"],
    [47, "47 小时前"],
    [73, "3 天前"],
  ])("%s hours", (hours, words) => {
    expect(ageText(ago(hours), now)).toBe(words);
    expect(isTooOld(ago(hours), now)).toBe(hours > 72);
  });
});
