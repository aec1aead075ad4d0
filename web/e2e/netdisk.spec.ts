// The network disk: listing, order, making, renaming, deleting, downloading, and who may do what where.
import type { Page } from "@playwright/test";
import { act, entry, openFolder, shownNames } from "./fixtures/disk";
import { png } from "./fixtures/media";
import { arrive, expect, test } from "./fixtures/test";

const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
const bar = (page: Page) => page.getByRole("region", { name: "文件夹操作" });
const chosen = (page: Page) => page.getByRole("region", { name: "所选项操作" });

test("S073 S074 S075 S076 S077 addresses of the disk lead to the file browser, folders end with a slash", async ({
  page,
  disk,
}) => {
  await disk.makeFolder("/home/数据 #1");
  await disk.upload("/home/数据 #1/a.txt", "a");
  await arrive(page, "zhangmin");
  const folder = `/netdisk/files/home/${encodeURIComponent("数据 #1")}`;
  for (const [address, target] of [
    ["/netdisk", "/netdisk/files/"],
    ["/netdisk/files", "/netdisk/files/"],
    ["/netdisk/home/", "/netdisk/files/home/"],
    [folder, `${folder}/`],
    [`${folder}/a.txt/`, `${folder}/a.txt`],
  ] as const) {
    await page.goto(address);
    await expect(page, address).toHaveURL(target);
    await expect(page).toHaveTitle(/^网盘 - /);
  }
  const tags = page.getByRole("navigation", { name: "打开的页面" });
  await expect(tags.getByRole("link", { name: "网盘" })).toBeVisible();
  await expect(tags.getByRole("button", { name: "关闭 网盘" })).toHaveCount(0);
});

test("S125 S176 folders come first; the order can be chosen and survives a reload", async ({
  page,
  disk,
}) => {
  for (const name of ["乙", "甲", "z"]) await disk.makeFolder(`/home/${name}`);
  await disk.upload("/home/b10.txt", "1");
  await disk.upload("/home/b9.txt", "22");
  await disk.upload("/home/a.txt", "333");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const first = await shownNames(page);
  expect(first.slice(0, 3).toSorted()).toEqual(["z", "乙", "甲"].toSorted());
  expect(first.slice(3).toSorted()).toEqual(["a.txt", "b10.txt", "b9.txt"]);
  const head = page.getByRole("columnheader", { name: "大小" });
  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", "ascending");
  await expect.poll(async () => (await shownNames(page)).slice(3)).toEqual(["b10.txt", "b9.txt", "a.txt"]);
  await head.getByRole("button").click();
  await expect.poll(async () => (await shownNames(page)).slice(3)).toEqual(["a.txt", "b9.txt", "b10.txt"]);
  await page.reload();
  await expect(head).toHaveAttribute("aria-sort", "descending");
  expect((await shownNames(page)).slice(3)).toEqual(["a.txt", "b9.txt", "b10.txt"]);
});

test("S115 S116 the path: home, the last three names, the earlier ones behind …", async ({ page, disk }) => {
  await disk.makeFolder("/home/一");
  await disk.makeFolder("/home/一/二");
  await disk.makeFolder("/home/一/二/三");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/一/二/三/");
  const path = page.getByRole("navigation", { name: "路径" });
  await expect(path.getByRole("link")).toHaveText(["", "…", "一", "二", "三"]);
  await path.getByRole("link", { name: "二" }).click();
  await expect(page).toHaveURL(
    `/netdisk/files/home/${encodeURIComponent("一")}/${encodeURIComponent("二")}/`,
  );
  await path.getByRole("link", { name: "主目录" }).click();
  await expect(page).toHaveURL("/netdisk/files/");
});

test("S145 S268 S269 S270 a new folder's name is trimmed and encoded, and it opens", async ({
  page,
  disk,
}) => {
  await arrive(page, "zhangmin");
  for (const name of ["  前后有空格  ", "a#b?c%d&e", "😀", `"引号" '单'`]) {
    const trimmed = name.trim();
    await openFolder(page, "/home/");
    await bar(page).getByRole("button", { name: "新建文件夹" }).click();
    const asked = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().includes("/resources/"),
    );
    await expect(dialog(page, "新建文件夹").getByLabel("名称")).toBeFocused();
    await dialog(page, "新建文件夹").getByLabel("名称").fill(name);
    await page.keyboard.press("Enter");
    const address = `/home/${encodeURIComponent(trimmed)}/`;
    expect(new URL((await asked).url()).pathname).toBe(`/disk/api/resources${address}`);
    await expect(entry(page, trimmed)).toHaveAttribute("aria-selected", "true");
    await entry(page, trimmed).dblclick();
    await expect(page).toHaveURL(`/netdisk/files${address}`);
    await expect(page.getByText("这里有点冷清")).toBeVisible();
    expect(await disk.names("/home/")).toContain(trimmed);
  }
});

test("names that cannot be are refused in the prompt: taken, empty, with a slash, too long", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(409);
  await disk.makeFolder("/home/数据");
  await disk.upload("/home/a.txt", "a");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await act(page, "a.txt", "重命名");
  const field = page.getByLabel("新名称");
  await expect(field).toBeFocused();
  for (const [name, fault] of [
    ["   ", "请输入名称"],
    ["a/b", "名称不能包含 /"],
    ["..", "名称不能是 . 或 .."],
    ["很".repeat(86), /名称太长/],
    ["数据", "已有同名的文件或文件夹"],
  ] as const) {
    await field.fill(name);
    await page.keyboard.press("Enter");
    await expect(dialog(page, /^重命名/).getByText(fault)).toBeVisible();
  }
  await page.keyboard.press("Escape");
  await expect(dialog(page, /^重命名/)).toBeHidden();
  await disk.expectNames("/home/", ["数据", "a.txt"]);
});

test("S215 S217 S219 S220 S221 S222 selection by mouse: one, more with Ctrl, a range with Shift, all, none", async ({
  page,
  disk,
}) => {
  for (const name of ["a", "b", "c", "d", "e"]) await disk.upload(`/home/${name}`, name);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const selected = () => page.getByRole("grid").getByRole("row", { selected: true }).count();
  await entry(page, "b").click();
  expect(await selected()).toBe(1);
  await expect(chosen(page)).toContainText("已选 1 项");
  await entry(page, "d").click({ modifiers: ["Shift"] });
  expect(await selected()).toBe(3);
  await entry(page, "a").click({ modifiers: ["Control"] });
  expect(await selected()).toBe(4);
  await entry(page, "c").click({ modifiers: ["Control"] });
  expect(await selected()).toBe(3);
  await entry(page, "e").click();
  expect(await selected()).toBe(1);
  await entry(page, "e").click();
  expect(await selected()).toBe(0);
  await page.keyboard.press("Control+a");
  await expect.poll(selected).toBe(5);
  await page.keyboard.press("Escape");
  await expect.poll(selected).toBe(0);
});

test("S211 S223 S407 S408 by keyboard: walk, open, rename with F2, delete with Delete and Enter", async ({
  page,
  disk,
}) => {
  await disk.makeFolder("/home/数据");
  await disk.upload("/home/a.txt", "a");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  const grid = page.getByRole("grid", { name: "文件" });
  await grid.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByText("这里有点冷清")).toBeVisible();
  await page.goBack();
  await grid.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("F2");
  await expect(page.getByLabel("新名称")).toHaveValue("a.txt");
  await expect(page.getByLabel("新名称")).toBeFocused();
  await page.keyboard.type("b");
  await page.keyboard.press("Enter");
  await disk.expectNames("/home/", ["数据", "b.txt"]);
  await expect(entry(page, "b.txt")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Delete");
  await expect(dialog(page, "删除 b.txt？")).toBeVisible();
  await expect(dialog(page, "删除 b.txt？").getByRole("button", { name: "删除" })).toBeFocused();
  await page.keyboard.press("Enter");
  await disk.expectNames("/home/", ["数据"]);
});

test("S210 S142 deleting several names them; Escape keeps them", async ({ page, disk }) => {
  for (const name of ["a.txt", "b.txt"]) await disk.upload(`/home/${name}`, "x");
  await disk.makeFolder("/home/数据");
  await disk.upload("/home/数据/inside.txt", "x");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("checkbox", { name: "全选" }).check();
  await chosen(page).getByRole("button", { name: "删除" }).click();
  const question = dialog(page, "删除选中的 3 项？");
  await expect(question).toContainText("数据/");
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await disk.expectNames("/home/", ["a.txt", "b.txt", "数据"]);
  await chosen(page).getByRole("button", { name: "删除" }).click();
  await question.getByRole("button", { name: "删除" }).click();
  await expect(page.getByText("已删除 3 项")).toBeVisible();
  await disk.expectNames("/home/", []);
});

test("S212 the page is loading, failed, a listing, a preview or an editor, and never two of them", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(404);
  await disk.upload("/home/a.png", png(8, 8, [200, 30, 30]));
  await disk.upload("/home/b.txt", "text");
  await arrive(page, "zhangmin");
  const main = page.getByRole("main");
  const states = {
    loading: main.getByRole("status", { name: "正在加载" }),
    error: main.getByRole("alert"),
    listing: main.getByRole("grid", { name: "文件" }),
    preview: main.getByRole("img", { name: "a.png" }),
    editor: main.getByRole("textbox", { name: "b.txt 的内容" }),
  };
  const expectOnly = async (state: keyof typeof states) => {
    await expect(states[state]).toBeVisible();
    for (const [name, locator] of Object.entries(states)) {
      if (name !== state) await expect(locator, `${name} while ${state}`).toHaveCount(0);
    }
  };
  let go = () => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route(/\/disk\/api\/resources\/home\/?(\?|$)/, async (route) => {
    await gone;
    await route.continue();
  });
  await page.goto("/netdisk/files/home/");
  await expectOnly("loading");
  go();
  await expectOnly("listing");
  await entry(page, "a.png").dblclick();
  await expectOnly("preview");
  await page.goto("/netdisk/files/home/b.txt");
  await expectOnly("editor");
  await page.goto("/netdisk/files/home/none");
  await expectOnly("error");
});

test("S117 S118 S119 S395 what cannot be opened says why", async ({ page, api, faults }) => {
  faults.expectStatus(404, 403, 500);
  await api.user({ username: "zhangmin" });
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/no-such-folder/");
  const panel = page.getByRole("main").getByRole("alert");
  await expect(panel).toContainText("文件未找到");
  for (const [status, words] of [
    [403, "没有权限"],
    [500, /服务器.*路径不存在/],
  ] as const) {
    await page.route("**/disk/api/resources/home/**", (route) =>
      route.fulfill({ status, body: `${status} X\n` }),
    );
    await page.goto(`/netdisk/files/home/refused-${status}/`);
    await expect(panel).toContainText(words);
    await page.unroute("**/disk/api/resources/home/**");
  }
  await panel.getByRole("link", { name: /主目录/ }).click();
  await expect(page).toHaveURL("/netdisk/files/");
  await expect(page).not.toHaveURL(/login/);
});

test("S393 S394 S395 every change that fails says so, and the list is read again", async ({
  page,
  disk,
  faults,
}) => {
  test.setTimeout(90_000);
  faults.expectStatus(500);
  await disk.upload("/home/a.txt", "a");
  await disk.makeFolder("/home/d");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  let lists = 0;
  let closed = false;
  await page.route(/\/disk\/api\/(resources|users|search)\//, (route) => {
    const request = route.request();
    const list = request.method() === "GET" && !/checksum|search/.test(request.url());
    if (!list || closed) return route.fulfill({ status: 500, body: "500 Internal Server Error\n" });
    lists += 1;
    return route.fallback();
  });
  const failed = (what: string) =>
    expect(page.getByText(`${what}：服务器出错（500）`).filter({ visible: true }).first()).toBeVisible();

  await act(page, "a.txt", "删除");
  const before = lists;
  await page.getByRole("dialog", { name: "删除 a.txt？" }).getByRole("button", { name: "删除" }).click();
  await failed("删除失败：a.txt");
  await expect.poll(() => lists).toBeGreaterThan(before);
  await expect(entry(page, "a.txt")).toBeVisible();

  await act(page, "a.txt", "重命名");
  const rename = page.getByRole("dialog", { name: /^重命名/ });
  await rename.getByRole("textbox").fill("b.txt");
  await page.keyboard.press("Enter");
  await failed("重命名失败");
  await page.keyboard.press("Escape");

  for (const [action, word] of [
    ["复制到", "复制"],
    ["移动到", "移动"],
  ] as const) {
    await act(page, "a.txt", action);
    const prompt = page.getByRole("dialog", { name: `${word} a.txt` });
    await prompt.getByRole("option", { name: "d", exact: true }).click();
    await prompt.getByRole("button", { name: word, exact: true }).click();
    await failed(`${word}失败：a.txt`);
  }

  const bar = page.getByRole("region", { name: "文件夹操作" });
  await page.keyboard.press("Escape");
  await bar.getByRole("button", { name: "新建文件夹" }).click();
  await page.getByRole("dialog", { name: "新建文件夹" }).getByRole("textbox").fill("e");
  await page.keyboard.press("Enter");
  await failed("新建失败");
  await page.keyboard.press("Escape");

  await act(page, "a.txt", "信息");
  const facts = page.getByRole("dialog", { name: "信息" });
  await facts.getByRole("button", { name: "计算 MD5" }).click();
  await failed("校验值没有算出来");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "平铺" }).click();
  await failed("没有保存");
  await page.getByRole("button", { name: "列表" }).click();
  const sorted = page.waitForResponse(/\/disk\/api\/resources\/.*sort=size/);
  await page.getByRole("columnheader", { name: "大小" }).getByRole("button").click();
  await failed("没有保存");
  await sorted;

  const box = page.getByRole("textbox", { name: "搜索文件" });
  await box.fill("a");
  await box.press("Enter");
  await failed("搜索失败");
  await box.press("Escape");

  closed = true;
  await bar.getByRole("button", { name: "刷新" }).click();
  await failed("没有打开");
});

test("S279 ordinary users see no buttons that write in the disk's root, administrators do", async ({
  page,
  api,
  visitor,
}) => {
  await api.user({ username: "zhangmin" });
  const theirs = await visitor();
  await arrive(theirs, "zhangmin");
  await openFolder(theirs, "/");
  await expect(entry(theirs, "home")).toBeVisible();
  for (const name of ["上传", "新建文件夹"]) {
    await expect(theirs.getByRole("main").getByRole("button", { name, exact: true })).toHaveCount(0);
  }
  await entry(theirs, "home").click();
  for (const name of ["重命名", "删除"]) {
    await expect(chosen(theirs).getByRole("button", { name })).toHaveCount(0);
  }
  await theirs.getByRole("button", { name: "home 的更多操作" }).click();
  await expect(theirs.getByRole("menuitem", { name: "打开" })).toBeVisible();
  for (const name of ["重命名", "删除"]) await expect(theirs.getByRole("menuitem", { name })).toHaveCount(0);

  await arrive(page);
  await openFolder(page, "/");
  await expect(page.getByRole("main").getByRole("button", { name: "上传", exact: true })).toBeEnabled();
  await expect(bar(page).getByRole("button", { name: "新建文件夹" })).toBeEnabled();
});

test("a second user cannot see the first one's files, by no address", async ({
  page,
  api,
  apiOf,
  faults,
}) => {
  faults.expectStatus(404, 403, 400);
  await api.user({ username: "zhangmin" });
  await api.user({ username: "chenyu" });
  const first = await apiOf("zhangmin");
  await first.upload("/home/secret.txt", "only mine");
  await arrive(page, "chenyu");
  await openFolder(page, "/home/");
  await expect(page.getByText("这里有点冷清")).toBeVisible();
  for (const path of [
    "/home/secret.txt",
    "/home/zhangmin/",
    "/zhangmin/secret.txt",
    "/home/..%2Fzhangmin/secret.txt",
  ]) {
    await page.goto(`/netdisk/files${path}`);
    await expect(page.getByRole("main").getByRole("alert")).toBeVisible();
  }
  const second = await apiOf("chenyu");
  for (const path of [
    "/home/../zhangmin/secret.txt",
    "/home/%2e%2e/zhangmin/secret.txt",
    "/home/%2e%2e%2fzhangmin/secret.txt",
  ]) {
    expect(await second.status("GET", `/disk/api/raw${path}`), path).toBeGreaterThanOrEqual(400);
  }
});

test("members of a group share its folder, others do not see it", async ({ page, api, apiOf, visitor }) => {
  const member = await api.user({ username: "zhangmin" });
  await api.user({ username: "chenyu" });
  const group = await api.group("计算机视觉", { members: [member.id] });
  const theirs = await apiOf("zhangmin");
  await theirs.upload(`/groups/${group.folder}/共同.txt`, "for all of us");
  await arrive(page, "zhangmin");
  await openFolder(page, "/");
  await page
    .getByRole("navigation", { name: "网盘位置" })
    .getByRole("link", { name: "组：计算机视觉" })
    .click();
  await expect(entry(page, "共同.txt")).toBeVisible();
  const other = await visitor();
  await arrive(other, "chenyu");
  await openFolder(other, "/");
  await expect(entry(other, "home")).toBeVisible();
  await expect(entry(other, "groups")).toHaveCount(0);
});

test("S248 a folder of 130 entries shows 50, then 50 more at each bottom, and selects all", async ({
  page,
  disk,
}) => {
  for (let at = 0; at < 130; at += 1) await disk.upload(`/home/f${String(at).padStart(3, "0")}`, "x");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await expect(page.getByText("0 个文件夹，130 个文件，已显示 50 项")).toBeAttached();
  const grid = page.getByRole("grid", { name: "文件" });
  await expect(grid).toHaveAttribute("aria-rowcount", "131");
  await grid.hover();
  await page.mouse.wheel(0, 5_000);
  await expect(page.getByText(/已显示 100 项/)).toBeAttached();
  await page.mouse.wheel(0, 5_000);
  await expect(page.getByText("0 个文件夹，130 个文件", { exact: true })).toBeAttached();
  await page.keyboard.press("Control+a");
  await expect(chosen(page)).toContainText("已选 130 项");
});

test("a file's content never runs in the portal's origin", async ({ page, disk }) => {
  await disk.upload("/home/evil.html", "<script>fetch('/disk/dashboard')</script><h1>hello</h1>");
  await arrive(page, "zhangmin");
  const answer = await page.request.get("/disk/api/raw/home/evil.html?inline=true", {
    headers: { authorization: `Bearer ${disk.token}` },
  });
  expect(answer.headers()["content-security-policy"]).toContain("sandbox");
  expect(answer.headers()["x-content-type-options"]).toBe("nosniff");
});

test("S137 the disk's sidebar: my files, what can be made, the settings, and signing out", async ({
  page,
  disk,
}) => {
  await disk.names("/home/");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await expect(
    page.getByRole("navigation", { name: "网盘位置" }).getByRole("link", { name: "我的文件" }),
  ).toHaveAttribute("aria-current", "true");
  for (const name of ["新建文件夹", "新建文件"])
    await expect(page.getByRole("button", { name, exact: true })).toHaveCount(2);
  const rest = page.getByRole("navigation", { name: "网盘的其他部分" });
  await expect(rest.getByRole("link", { name: "网盘设置" })).toBeVisible();
  await rest.getByRole("link", { name: "我的分享" }).click();
  await expect(page).toHaveURL("/settings/netdisk_settings/shares");
  await page.goBack();
  await rest.getByRole("button", { name: "退出登录" }).click();
  await expect(page).toHaveURL("/login");
  expect(await disk.status("GET", "/disk/api/resources/home/")).toBe(200);
  await page.goto("/netdisk/files/home/");
  await expect(page).toHaveURL(/\/login\?redirect=/);
});

test("a folder that somebody else has taken away is not shown as if it were there", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(404);
  await disk.upload("/home/d/a.txt", "a");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/d/");
  await expect(entry(page, "a.txt")).toBeVisible();
  expect(await disk.status("DELETE", "/disk/api/resources/home/d?permanent=true")).toBe(200);
  await page.getByRole("button", { name: "刷新" }).click();
  await expect(page.getByText("文件未找到")).toBeVisible();
  await expect(entry(page, "a.txt")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "上传", exact: true })).toHaveCount(0);
});
