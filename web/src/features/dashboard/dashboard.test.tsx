import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
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
