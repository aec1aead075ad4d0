// Files in the views of their kinds, through the page.
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { clearSession } from "@/shared/stores/session";
import { json, signedIn } from "@/test-server";
import FilesPage from "../FilesPage";
import { giveHeight, makeFolder, makeItem, refusal, serveDisk } from "../mock";
import { utf8 } from "./test-bytes";

beforeEach(() => {
  clearSession();
  signedIn(2);
  giveHeight();
});

/** The page of one file, whose content is given by ranges; `type` is what the server takes it for. */
function openFile(name: string, content: string | Uint8Array, type: "text" | "blob" = "text") {
  const bytes = typeof content === "string" ? utf8(content) : content;
  const path = `/home/${name}`;
  const item = makeItem({ path, size: bytes.length, type });
  const asked: (string | null)[] = [];
  serveDisk({
    [`GET /disk/api/resources${path}`]: () => json(item),
    "GET /disk/api/resources/home/": () => json(makeFolder("/home/", [item])),
    [`GET /disk/api/raw${path}`]: (request) => {
      const range = request.headers.get("range");
      asked.push(range);
      const [, from = "0", to = ""] = /bytes=(\d+)-(\d+)/.exec(range ?? "") ?? [];
      const part = range ? bytes.slice(Number(from), Number(to) + 1) : bytes.slice();
      const headers: Record<string, string> = { etag: '"1"' };
      if (range) headers["content-range"] = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
      return new Response(part, { status: range ? 206 : 200, headers });
    },
  });
  return { ...renderPage(FilesPage, { at: `/netdisk/files${path}`, role: 2, me: 7 }), asked };
}

describe("the view of a file", () => {
  it("a CSV is a table, read by ranges; its source is one click away and stands in the address", async () => {
    const { user, search, asked } = openFile("a.csv", 'epoch,备注\n1,"第一轮\n完成"\n2,\n');
    const table = await screen.findByRole("table", { name: "表格内容" });
    expect(within(table).getByRole("columnheader", { name: "备注" })).toBeTruthy();
    expect(await within(table).findByText(/第一轮/)).toBeTruthy();
    expect(screen.getByText("共 2 行，2 列")).toBeTruthy();
    expect(asked.every((range) => range?.startsWith("bytes="))).toBe(true);
    await user.click(screen.getByText("首行为表头"));
    expect(await within(table).findByRole("columnheader", { name: "列 2" })).toBeTruthy();
    await user.click(screen.getByText("源码"));
    await waitFor(() => expect(search().get("view")).toBe("source"));
    expect(await screen.findByRole("region", { name: "编辑" })).toBeTruthy();
    await user.click(screen.getByText("预览"));
    expect(await screen.findByRole("table", { name: "表格内容" })).toBeTruthy();
  });

  it("Markdown is set as text, with the pictures and links of its folder", async () => {
    openFile("README.md", "# 标题\n\n[数据](data/a.csv) <script>x()</script>\n\n- [x] 完成");
    expect(await screen.findByRole("heading", { name: "标题" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "数据" }).getAttribute("href")).toBe(
      "/netdisk/files/home/data/a.csv",
    );
    expect(document.querySelector("section script")).toBeNull();
  });

  it("what can't be read says why, and can be downloaded", async () => {
    openFile("a.zip", "PK\u0003\u0004 and then nothing", "blob");
    expect(await screen.findByText(/^压缩包已损坏/)).toBeTruthy();
    expect(screen.getAllByRole("button", { name: "下载" }).length).toBeGreaterThan(0);
  });

  it("what the server does not give can be asked for again", async () => {
    const item = makeItem({ path: "/home/a.tar", type: "blob", size: 1000 });
    let refused = 0;
    serveDisk({
      "GET /disk/api/resources/home/a.tar": () => json(item),
      "GET /disk/api/resources/home/": () => json(makeFolder("/home/", [item])),
      "GET /disk/api/raw/home/a.tar": () => {
        refused += 1;
        return refusal(503, "503 Service Unavailable");
      },
    });
    const { user } = renderPage(FilesPage, { at: "/netdisk/files/home/a.tar", role: 2, me: 7 });
    expect(await screen.findByText("网盘暂时不可用，请稍后再试")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "重试" }));
    await waitFor(() => expect(refused).toBe(2));
  });
});
