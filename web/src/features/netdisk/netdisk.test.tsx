import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { clearSession } from "@/shared/stores/session";
import { json, signedIn } from "@/test-server";
import FilesPage from "./FilesPage";
import { done, giveHeight, makeFolder, makeItem, refusal, serveDisk } from "./mock";
import { closeOverlay } from "./overlay";
import { TransferDock } from "./uploads/TransferDock";
import { uploadQueue } from "./uploads/upload-store";

const home = [
  makeItem({ path: "/home/docs", isDir: true }),
  makeItem({ path: "/home/a.txt", size: 2048 }),
  makeItem({ path: "/home/b #1?.txt", size: 1024 }),
  makeItem({ path: "/home/c.txt", size: 1024 }),
];
/** A time this many minutes ago. */
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const listHome = { "GET /disk/api/resources/home/": () => json(makeFolder("/home/", home)) };

/** With the components that the app's frame puts over every page. */
const Disk = () => (
  <>
    <FilesPage />
    <TransferDock />
  </>
);

function start(address = "/netdisk/files/home/", role = 2) {
  const path = address.split("?")[0] ?? "";
  return { path, ...renderPage(Disk, { at: address, role, me: 7 }) };
}

const row = (name: string) => screen.findByRole("row", { name: new RegExp(name.replace(/[?#]/g, "\\$&")) });
const selectedNames = () =>
  screen
    .queryAllByRole("row", { selected: true })
    .map((each) => within(each).getByRole("checkbox").getAttribute("aria-label"));

beforeEach(() => {
  // Also forgets the positions in folders.
  clearSession();
  signedIn(2);
  giveHeight();
});

afterEach(() => {
  uploadQueue.clear();
  closeOverlay();
});

describe("the listing", () => {
  it("S074 S125 shows folders first with kind and size, and how many there are", async () => {
    serveDisk(listHome);
    start();
    const docs = await row("docs");
    expect(within(docs).getByText("文件夹")).toBeTruthy();
    expect(within(await row("a.txt")).getByText("2.00 KB")).toBeTruthy();
    expect(screen.getByText("1 个文件夹，3 个文件")).toBeTruthy();
    expect(screen.getByText("还可用 400.00 GB")).toBeTruthy();
    expect(await screen.findByRole("link", { name: "组：计算机视觉" })).toBeTruthy();
  });

  it("says what part of the room datasets take, and that who is over the quota keeps everything", async () => {
    const gb = 1024 ** 3;
    serveDisk({
      ...listHome,
      "GET /disk/api/usage/home/": () =>
        json({ total: 1000 * gb, used: 7 * gb, datasets: 4 * gb, quota: 5 * gb, counted: ago(4) }),
    });
    start();
    expect(await screen.findByText("其中数据集和版本 4.00 GB")).toBeTruthy();
    const over = await screen.findByText(/已超出配额 2.00 GB。文件都在/);
    expect(over.getAttribute("role")).toBe("status");
    expect(screen.getByText("统计于 4 分钟前")).toBeTruthy();
    const banner = screen.getByText(/空间已用完（已用 7.00 GB，共 5.00 GB，统计于 4 分钟前）/);
    expect(banner.textContent).toContain("仍在写入的实例可能会被冻结");
  });

  it("says from 90 % on that the room is nearly used up", async () => {
    const gb = 1024 ** 3;
    const room = { total: 1000 * gb, datasets: 0, quota: 10 * gb, counted: ago(0) };
    serveDisk({ ...listHome, "GET /disk/api/usage/home/": () => json({ ...room, used: 9 * gb }) });
    start();
    expect(await screen.findByText(/空间快用完了（已用 9.00 GB，共 10.00 GB，刚刚统计）/)).toBeTruthy();
  });

  it("S115 S116 has home and the last three names in the path", async () => {
    const path = "/netdisk/files/home/deep/er/";
    serveDisk({
      "GET /disk/api/resources/home/deep/er/x/": () => json(makeFolder("/home/deep/er/x/", [])),
      "GET /disk/api/usage/home/deep/er/x/": () =>
        json({ total: 1, used: 0, datasets: 0, quota: 0, counted: ago(0) }),
    });
    start(`${path}x/`);
    const crumbs = within(await screen.findByRole("navigation", { name: "路径" })).getAllByRole("link");
    expect(crumbs.map((crumb) => crumb.textContent)).toEqual(["", "…", "deep", "er", "x"]);
    expect(crumbs[0]?.getAttribute("href")).toBe("/netdisk/files/");
    expect(crumbs[1]?.getAttribute("href")).toBe("/netdisk/files/home/");
  });

  it("S176 sorts on the server, and the order stands in the address", async () => {
    const asked: string[] = [];
    serveDisk({
      "GET /disk/api/resources/home/": (request) => {
        asked.push(new URL(request.url).search);
        return json(makeFolder("/home/", home));
      },
    });
    const { user, search } = start();
    await row("a.txt");
    await user.click(screen.getByRole("button", { name: "大小" }));
    await waitFor(() => expect(asked.at(-1)).toContain("sort=size&asc=true"));
    await user.click(screen.getByRole("button", { name: "大小" }));
    await waitFor(() => expect(search().get("order")).toBe("desc"));
    await waitFor(() => expect(screen.getByRole("columnheader", { name: "大小" })).toBeTruthy());
    expect(screen.getByRole("columnheader", { name: "大小" }).getAttribute("aria-sort")).toBe("descending");
  });

  it("S248 shows 50 at first, and 50 more at the bottom", async () => {
    const many = Array.from({ length: 130 }, (_, index) => makeItem({ path: `/home/f${index}.txt` }));
    serveDisk({
      "GET /disk/api/resources/home/": (request) => json(makeFolder("/home/", many, new URL(request.url))),
    });
    start();
    await row("f0.txt");
    expect(screen.getByText("0 个文件夹，130 个文件，已显示 50 项")).toBeTruthy();
    expect(screen.getByRole("grid").getAttribute("aria-rowcount")).toBe("131");
    const scroller = screen.getByRole("rowgroup");
    scroller.scrollTop = 50 * 36 - 720;
    fireEvent.scroll(scroller);
    expect(await screen.findByText("0 个文件夹，130 个文件，已显示 100 项")).toBeTruthy();
  });

  it("S128 an empty folder says so and offers to upload", async () => {
    serveDisk({ "GET /disk/api/resources/home/": () => json(makeFolder("/home/", [])) });
    const { user } = start();
    expect(await screen.findByText("这里有点冷清")).toBeTruthy();
    await user.click(screen.getAllByRole("button", { name: "上传" })[1] ?? document.body);
    expect(await screen.findByRole("dialog", { name: "上传到 我的文件" })).toBeTruthy();
  });

  it.each([
    [404, "404 Not Found", "文件未找到"],
    [403, "403 Forbidden", "没有权限"],
    [500, "500 Internal Server Error", "服务器出了问题，或路径不存在"],
  ])("S117 says what a %i means, with a way home", async (status, line, words) => {
    serveDisk({ "GET /disk/api/resources/home/": () => refusal(status, line) });
    start();
    const alert = await screen.findByRole("alert");
    expect(within(alert).getByText(words)).toBeTruthy();
    expect(within(alert).getByRole("link", { name: "返回主目录" }).getAttribute("href")).toBe(
      "/netdisk/files/",
    );
    expect(screen.queryByRole("button", { name: "上传" })).toBeNull();
  });

  it("S122 S123 an administrator is sent to the settings when there is no storage host", async () => {
    serveDisk({}, { role: 1, storageHost: "" });
    start("/netdisk/files/home/", 1);
    expect(await screen.findByText("存储服务器未配置，请进行配置")).toBeTruthy();
    expect(screen.getByRole("link", { name: "去基本设置" }).getAttribute("href")).toBe(
      "/settings/basic_setting",
    );
  });

  it("S124 others are told to ask an administrator", async () => {
    serveDisk({}, { storageHost: "" });
    start();
    expect(await screen.findByText("存储服务器未配置，请联系管理员!")).toBeTruthy();
  });

  it("S134 a single file shows what it is and can be downloaded", async () => {
    serveDisk({ "GET /disk/api/resources/home/a.txt": () => json(home[1]) });
    start("/netdisk/files/home/a.txt");
    expect(await screen.findByRole("heading", { name: "a.txt" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "下载" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "上传" })).toBeNull();
  });
});

describe("the disk root", () => {
  const root = {
    "GET /disk/api/resources/": () =>
      json(
        makeFolder("/", [
          makeItem({ path: "/home", isDir: true }),
          makeItem({ path: "/share", isDir: true }),
        ]),
      ),
  };

  it("S279 ordinary users have nothing to change it with, and read what the folders are", async () => {
    serveDisk(root);
    const { user } = start("/netdisk/files/");
    const share = await row("share");
    expect(within(share).getByText("公共共享")).toBeTruthy();
    for (const name of ["上传", "新建文件夹"]) expect(screen.queryByRole("button", { name })).toBeNull();
    await user.click(share);
    for (const name of ["重命名", "删除"]) expect(screen.queryByRole("button", { name })).toBeNull();
    await user.keyboard("{Delete}");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("administrators may add to it but not take its own folders away", async () => {
    serveDisk(root, { role: 1 });
    const { user } = start("/netdisk/files/", 1);
    expect(await screen.findByRole("button", { name: "上传" })).toBeTruthy();
    await user.click(await row("share"));
    expect(screen.getByRole("button", { name: "删除" })).toHaveProperty("disabled", true);
  });
});

describe("selecting and opening", () => {
  it("S215 S217 S219 S220 S222 follows clicks, Ctrl, Shift and Escape", async () => {
    serveDisk(listHome);
    const { user } = start();
    await user.click(await row("a.txt"));
    expect(selectedNames()).toEqual(["选择 a.txt"]);
    await user.keyboard("{Control>}");
    await user.click(await row("c.txt"));
    await user.keyboard("{/Control}");
    expect(selectedNames()).toEqual(["选择 a.txt", "选择 c.txt"]);
    await user.click(await row("docs"));
    await user.keyboard("{Shift>}");
    await user.click(await row("b #1?.txt"));
    await user.keyboard("{/Shift}");
    expect(selectedNames()).toEqual(["选择 docs", "选择 a.txt", "选择 b #1?.txt"]);
    await user.keyboard("{Escape}");
    expect(selectedNames()).toEqual([]);
  });

  it("S221 Ctrl+A selects what has not come yet, too", async () => {
    const many = Array.from({ length: 450 }, (_, index) => makeItem({ path: `/home/f${index}.txt` }));
    const server = serveDisk({
      "GET /disk/api/resources/home/": (request) => json(makeFolder("/home/", many, new URL(request.url))),
    });
    const { user } = start();
    await row("f0.txt");
    await user.keyboard("{Control>}a{/Control}");
    expect(await screen.findByText("已选 450 项")).toBeTruthy();
    expect(server.count("GET /disk/api/resources/home/")).toBe(2);
  });

  it("S223 a double click opens a folder and keeps the order", async () => {
    serveDisk(listHome);
    const { user, router } = start("/netdisk/files/home/?sort=size&order=desc");
    await user.dblClick(await row("docs"));
    await screen.findByText("另一页");
    expect(router.state.location).toMatchObject({
      pathname: "/netdisk/files/home/docs/",
      search: "?sort=size&order=desc",
    });
  });

  /** The time is the event's own: on a busy machine two touches must not become a double one. */
  function touch(target: Element, timeStamp: number) {
    const event = new PointerEvent("click", { bubbles: true, cancelable: true, pointerType: "touch" });
    fireEvent(target, Object.defineProperty(event, "timeStamp", { value: timeStamp }));
  }

  it("one touch opens", async () => {
    serveDisk(listHome);
    const { router } = start();
    touch(await row("docs"), 1000);
    await screen.findByText("另一页");
    expect(router.state.location.pathname).toBe("/netdisk/files/home/docs/");
  });

  it("S224 while something is selected a touch selects, and two open", async () => {
    serveDisk(listHome);
    const { router } = start();
    const docs = await row("docs");
    fireEvent(
      docs,
      new PointerEvent("contextmenu", { bubbles: true, cancelable: true, pointerType: "touch" }),
    );
    expect(selectedNames()).toEqual(["选择 docs"]);
    expect(screen.queryByRole("menu")).toBeNull();
    touch(await row("a.txt"), 1000);
    expect(selectedNames()).toEqual(["选择 docs", "选择 a.txt"]);
    touch(docs, 2000);
    expect(selectedNames()).toEqual(["选择 a.txt"]);
    touch(docs, 2300);
    await screen.findByText("另一页");
    expect(router.state.location.pathname).toBe("/netdisk/files/home/docs/");
  });

  it("the right button opens the menu of an entry, of the selection, and of the folder", async () => {
    serveDisk(listHome);
    const { user } = start();
    const right = (target: Element) =>
      fireEvent(target, new PointerEvent("contextmenu", { bubbles: true, cancelable: true, clientX: 40 }));
    const names = async () => (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent);
    const close = async () => {
      await user.keyboard("{Escape}");
      await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    };
    right(await row("a.txt"));
    expect(await names()).toEqual([
      ...["打开", "下载", "分享", "复制到", "移动到", "重命名", "压缩", "信息", "删除"],
    ]);
    await close();
    right(screen.getByRole("rowgroup"));
    expect(await names()).toEqual(["上传", "新建文件夹", "新建文件", "全选", "刷新"]);
    await user.click(screen.getByRole("menuitem", { name: "全选" }));
    expect(selectedNames()).toHaveLength(4);
    right(await row("a.txt"));
    expect(await names()).toEqual(["下载", "复制到", "移动到", "压缩", "信息", "删除"]);
    await user.click(screen.getByRole("menuitem", { name: "信息" }));
    expect(await screen.findByRole("dialog")).toBeTruthy();
  });

  it("works by keyboard: arrows walk, Space adds, Enter opens", async () => {
    serveDisk(listHome);
    const { user, router } = start();
    await row("docs");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("grid")));
    await user.keyboard("{ArrowDown}{ArrowDown}");
    expect(selectedNames()).toEqual(["选择 a.txt"]);
    await user.keyboard("{Shift>}{ArrowDown}{/Shift}");
    expect(selectedNames()).toEqual(["选择 a.txt", "选择 b #1?.txt"]);
    await user.keyboard("{Control>}{Home}{/Control} ");
    expect(selectedNames()).toHaveLength(3);
    await user.keyboard("{Enter}");
    await screen.findByText("另一页");
    expect(router.state.location.pathname).toBe("/netdisk/files/home/docs/");
  });

  it("walks from the scroller too, which is the tab stop after the head", async () => {
    serveDisk(listHome);
    const { user } = start();
    await row("docs");
    act(() => screen.getByRole("rowgroup").focus());
    await user.keyboard("{ArrowDown}{ArrowDown}");
    expect(selectedNames()).toEqual(["选择 a.txt"]);
    expect(document.activeElement).toBe(screen.getByRole("grid"));
  });
});

describe("changing", () => {
  it("S145 S268 S269 S270 makes a folder: trimmed, encoded, with a slash at its end", async () => {
    const path = "POST /disk/api/resources/home/%E6%96%B0%20%231/";
    const server = serveDisk({ ...listHome, [path]: done });
    const { user } = start();
    await row("a.txt");
    await user.click(screen.getAllByRole("button", { name: "新建文件夹" })[0] ?? document.body);
    await user.type(await screen.findByRole("textbox", { name: "名称" }), "  新 #1 {Enter}");
    await waitFor(() => expect(server.count(path)).toBe(1));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("a folder that is there already is not made again", async () => {
    const path = "POST /disk/api/resources/home/docs/";
    const server = serveDisk({ ...listHome, [path]: done });
    const { user } = start();
    await row("docs");
    await user.click(screen.getAllByRole("button", { name: "新建文件夹" })[0] ?? document.body);
    await user.type(await screen.findByRole("textbox", { name: "名称" }), "docs{Enter}");
    await screen.findByText("已有同名的文件夹");
    expect(server.count(path)).toBe(0);
  });

  it("a name prompt takes what is typed from the first moment on", async () => {
    serveDisk(listHome);
    const { user } = start();
    await row("a.txt");
    const [button] = screen.getAllByRole("button", { name: "新建文件夹" });
    act(() => button?.click());
    // No waiting here: the field must have the focus as soon as it is rendered.
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "名称" }));
    await user.keyboard("实验");
    expect(screen.getByRole("textbox", { name: "名称" })).toHaveProperty("value", "实验");
  });

  it("S143 F2 renames; a taken name is said at the field", async () => {
    let asked = "";
    const patch = "PATCH /disk/api/resources/home/b%20%231%3F.txt";
    serveDisk({
      ...listHome,
      [patch]: (request) => {
        asked = new URL(request.url).search;
        return asked.includes("taken") ? refusal(409, "409 Conflict (exists)") : json({ path: "" });
      },
    });
    const { user } = start();
    await user.click(await row("b #1?.txt"));
    await user.keyboard("{F2}");
    const field = await screen.findByRole("textbox", { name: "新名称" });
    await user.clear(field);
    await user.type(field, "taken.txt{Enter}");
    expect(await screen.findByText("已有同名的文件或文件夹")).toBeTruthy();
    await user.clear(field);
    await user.type(field, "a/b{Enter}");
    expect(await screen.findByText("名称不能包含 /")).toBeTruthy();
    await user.clear(field);
    await user.type(field, "100%.txt{Enter}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(new URLSearchParams(asked).get("destination")).toBe("/home/100%.txt");
    expect(new URLSearchParams(asked).get("action")).toBe("rename");
  });

  it("S142 S211 S396 S408 Delete asks, Enter confirms, and what failed is named", async () => {
    const server = serveDisk({
      ...listHome,
      "DELETE /disk/api/resources/home/a.txt": done,
      "DELETE /disk/api/resources/home/c.txt": () => refusal(423, "423 Locked"),
    });
    const { user } = start();
    await user.click(await screen.findByRole("checkbox", { name: "选择 a.txt" }));
    await user.click(screen.getByRole("checkbox", { name: "选择 c.txt" }));
    await user.keyboard("{Delete}");
    const dialog = await screen.findByRole("dialog", { name: "删除选中的 2 项？" });
    expect(within(dialog).getByText(/先放进回收站，30 天内可以恢复/)).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "删除" }));
    expect(await screen.findByText("删除失败：c.txt：文件正在使用，请稍后再试")).toBeTruthy();
    expect(server.count("DELETE /disk/api/resources/home/a.txt")).toBe(1);
    await waitFor(() => expect(server.count("GET /disk/api/resources/home/")).toBe(2));
  });

  it("S301 S302 downloads one file by ticket, a folder as the chosen kind of archive", async () => {
    const server = serveDisk({
      ...listHome,
      "POST /api/tickets": () => json({ ticket: "t1", expires: "2026-11-20T10:00:00.000Z" }),
    });
    const opened: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      opened.push(this.href);
    });
    const { user } = start();
    await user.click(await row("b #1?.txt"));
    await user.click(screen.getByRole("button", { name: "下载" }));
    await waitFor(() => expect(opened).toHaveLength(1));
    const raw = "/disk/api/raw/home/b%20%231%3F.txt";
    expect(opened[0]).toBe(`http://lab.test${raw}?auth=t1`);
    const ticket = server.calls.find((call) => call.key === "POST /api/tickets");
    expect(JSON.parse(ticket?.body ?? "")).toEqual({ path: raw, method: "GET" });
    await user.click(await row("docs"));
    await user.click(screen.getByRole("button", { name: "下载" }));
    const prompt = await screen.findByRole("dialog", { name: "打包下载 docs" });
    await user.click(within(prompt).getByRole("radio", { name: /^targz/ }));
    await user.click(within(prompt).getByRole("button", { name: "下载" }));
    await waitFor(() => expect(opened).toHaveLength(2));
    expect(opened[1]).toBe("http://lab.test/disk/api/raw/home/docs/?algo=targz&auth=t1");
  });
});
