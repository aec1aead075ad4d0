import { cleanup, screen, waitFor, within } from "@testing-library/react";
import type { ComponentType } from "react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
import { LabFirstSteps } from "./LabFirstSteps";
import { OwnFirstSteps } from "./OwnFirstSteps";
import { RecentFiles } from "./RecentFiles";

const item = (name: string, isDir = false) => ({
  name,
  path: `/home/${name}`,
  isDir,
  isSymlink: false,
  extension: "",
  mode: 420,
  modified: "2026-11-22T00:00:00Z",
  size: 1,
  type: isDir ? "" : "text",
});

const Page = () => <RecentFiles host="/disk" />;
const NewAccount = () => <OwnFirstSteps hasInitialPassword={true} used={1} />;
const OldAccount = () => <OwnFirstSteps hasInitialPassword={false} used={1} />;
const DirectoryAccount = () => <OwnFirstSteps hasInitialPassword={undefined} used={1} />;

/** The list as it stands on its page, below the title. */
function Titled() {
  return (
    <>
      <h1>首页</h1>
      <LabFirstSteps />
    </>
  );
}

describe("最近文件", () => {
  it("are looked for behind the folders, and leave out what programs keep", async () => {
    const folders = Array.from({ length: 50 }, (_, at) => item(`文件夹 ${at}`, true));
    serve({
      "GET /disk/api/resources/home/": (request) => {
        const offset = Number(new URL(request.url).searchParams.get("offset"));
        const items = offset === 0 ? folders : [item(".bash_history"), item("训练 1.py"), item("b.md")];
        return json({ ...item("home", true), items, numDirs: 50, numFiles: 3 });
      },
    });
    renderPage(Page, { at: "/dashboard" });
    const list = await screen.findByRole("list", { name: "最近文件" });
    const names = within(list).getAllByRole("link");
    expect(names.map((link) => link.textContent)).toEqual([
      expect.stringMatching(/^训练 1\.py/),
      expect.stringMatching(/^b\.md/),
    ]);
    expect(names[0]?.getAttribute("href")).toBe("/netdisk/files/home/%E8%AE%AD%E7%BB%83%201.py");
  });
});

describe("开始使用", () => {
  const nothingYet = { "GET /api/instances": () => json({ items: [], total: 0 }) };

  async function ownSteps(Steps: ComponentType) {
    serve(nothingYet);
    renderPage(Steps, { at: "/dashboard", role: 2, me: 7 });
    const list = await screen.findByRole("list", { name: "开始使用" });
    return within(list)
      .getAllByRole("link")
      .map((link) => link.getAttribute("aria-label"));
  }

  it("begins with the password for people, with its tick from the server", async () => {
    expect((await ownSteps(NewAccount))[0]).toBe("改密码");
    expect(screen.getByRole("link", { name: "改密码" }).getAttribute("href")).toBe("/profile/password");
    expect(screen.getByText("已完成 1 / 3")).toBeTruthy();
  });

  it("ticks the password that its owner chose", async () => {
    expect((await ownSteps(OldAccount))[0]).toBe("改密码（已完成）");
    expect(screen.getByText("已完成 2 / 3")).toBeTruthy();
  });

  it("asks for no password of people from the directory", async () => {
    expect((await ownSteps(DirectoryAccount))[0]).toBe("放入数据（已完成）");
  });

  it("shows administrators the command of a step that is left, where there is one", async () => {
    const items = [
      { step: "password", done: true },
      { step: "server", done: false },
      { step: "people", done: false },
      { step: "backup", done: false },
    ];
    serve({ "GET /api/dashboard/first-steps": () => json({ items }) });
    renderPage(LabFirstSteps, { at: "/dashboard" });
    const list = await screen.findByRole("list", { name: "开始使用" });
    const commands = [...list.querySelectorAll("pre")].map(({ textContent }) => textContent);
    expect(commands).toEqual(["sudo yunlab admin doctor", "sudo yunlab admin backup yunlab.tar.zst"]);
    expect(within(list).getAllByRole("button", { name: /^复制命令/ })).toHaveLength(2);
  });

  it("goes away when everything is done, and when it is closed", async () => {
    let done = true;
    const served = serve({
      "GET /api/dashboard/first-steps": () => json({ items: [{ step: "password", done }] }),
    });
    renderPage(Titled, { at: "/dashboard" });
    await waitFor(() => expect(served.count("GET /api/dashboard/first-steps")).toBe(1));
    expect(screen.queryByText("开始使用")).toBeNull();
    cleanup();
    done = false;
    const { user } = renderPage(Titled, { at: "/dashboard" });
    await user.click(await screen.findByRole("button", { name: "不再显示“开始使用”" }));
    expect(screen.queryByText("开始使用")).toBeNull();
    cleanup();
    // Closed for this user of the browser alone.
    renderPage(Titled, { at: "/dashboard" });
    await waitFor(() => expect(served.count("GET /api/dashboard/first-steps")).toBe(3));
    expect(screen.queryByText("开始使用")).toBeNull();
    cleanup();
    renderPage(Titled, { at: "/dashboard", me: 2 });
    expect(await screen.findByText("开始使用")).toBeTruthy();
  });

  it("begins folded to the next step once there are servers", async () => {
    const items = [
      { step: "server", done: true },
      { step: "people", done: false },
    ];
    serve({ "GET /api/dashboard/first-steps": () => json({ items }) });
    const { user } = renderPage(LabFirstSteps, { at: "/dashboard" });
    const next = await screen.findByRole("link", { name: "下一步：添加用户" });
    expect(next.getAttribute("href")).toBe("/users/user_list");
    expect(screen.queryByRole("list", { name: "开始使用" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "展开" }));
    expect(screen.getByRole("list", { name: "开始使用" })).toBeTruthy();
  });

  it("has a command for each step that a shell can help with", async () => {
    const steps = [
      "password",
      "https",
      "server",
      "cards",
      "allocation",
      "images",
      "people",
      "notices",
      "backup",
    ];
    const items = steps.map((step) => ({ step, done: false }));
    serve({ "GET /api/dashboard/first-steps": () => json({ items }) });
    renderPage(LabFirstSteps, { at: "/dashboard" });
    const list = await screen.findByRole("list", { name: "开始使用" });
    const without = within(list)
      .getAllByRole("listitem")
      .filter((row) => !row.querySelector("pre"))
      .map((row) => within(row).getByRole("link").getAttribute("aria-label"));
    expect(without).toEqual(["分配服务器", "添加用户", "打开通知"]);
  });
});
