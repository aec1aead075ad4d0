// File Browser's own pages: shares, one's own settings, and what administrators set.
import { readFile } from "node:fs/promises";
import { downloaded } from "./fixtures/disk";
import {
  accepted,
  button,
  choose,
  enter,
  entry,
  expect,
  openFolder,
  prompt,
  shownNames,
  test,
} from "./fixtures/filebrowser";

test("File Browser's pages: a share with a password, a stranger, and its end", async ({
  page,
  disk,
  faults,
  filebrowser,
  visitor,
}) => {
  faults.expectStatus(401, 404);
  await disk.upload("/home/给 你 #1/a b.txt", "for you");
  await enter(page);
  await choose(page, "给 你 #1");
  await button(page, "分享").click();
  await prompt(page).getByRole("spinbutton").fill("3");
  await prompt(page).locator("[type=password]").fill("open 请");
  await accepted(page, "POST", "share/home/", () =>
    prompt(page).getByRole("button", { name: "分享" }).click(),
  );
  const hash = (await prompt(page).getByRole("cell").first().textContent()) ?? "";

  const stranger = await visitor({ baseURL: filebrowser.origin });
  await stranger.goto(`/disk/share/${hash}`);
  for (const password of ["wrong", "open 请"]) {
    await stranger.getByPlaceholder("密码").fill(password);
    await stranger.getByRole("button", { name: "提交" }).click();
    if (password === "wrong") await expect(stranger.getByText("用户名或密码错误")).toBeVisible();
  }
  await choose(stranger, "a b.txt");
  const file = await downloaded(stranger, () => button(stranger, "下载").click());
  expect(await readFile(file, "utf8")).toBe("for you");
  const archive = await downloaded(stranger, () => stranger.getByRole("link", { name: "下载" }).click());
  expect((await readFile(archive)).includes("a b.txt")).toBe(true);

  await page.goto("/disk/settings/shares");
  await expect(page.getByRole("link", { name: "/home/给 你 #1" })).toBeVisible();
  await page.getByRole("row").getByRole("button", { name: "删除" }).click();
  await accepted(page, "DELETE", "share/", () => prompt(page).getByRole("button", { name: "删除" }).click());
  await stranger.reload();
  await expect(stranger.getByText("该位置无法访问")).toBeVisible();
});

test("F13 File Browser's pages: one's own settings", async ({ page, disk }) => {
  await disk.upload("/home/.hidden", "x");
  await disk.upload("/home/shown.txt", "content");
  await enter(page);
  await page.goto("/disk/settings/profile");
  for (const name of ["hideDotfiles", "singleClick", "redirectAfterCopyMove", "dateFormat"]) {
    await page.locator(`[name=${name}]`).check();
  }
  await accepted(page, "PUT", "users/", () => page.locator("[name=submitProfile]").click());
  await expect(page.getByText("设置已更新")).toBeVisible();
  await openFolder(page, "/home/");
  expect(await shownNames(page)).toEqual(["shown.txt"]);
  await entry(page, "shown.txt").click();
  await expect(page.locator(".ace_content")).toContainText("content");
});

test("F13 File Browser's pages: another language is not refused", async ({ page, disk }) => {
  await disk.upload("/home/shown.txt", "x");
  await enter(page);
  await page.goto("/disk/settings/profile");
  await page.getByRole("combobox").first().selectOption({ label: "English" });
  await accepted(page, "PUT", "users/", () => page.locator("[name=submitProfile]").click());
  await openFolder(page, "/home/");
  expect(await shownNames(page)).toEqual(["shown.txt"]);
});

test("F13 File Browser's pages: the view of its newer versions", async ({ page, disk }) => {
  await disk.upload("/home/shown.txt", "x");
  await enter(page);
  for (const view of ["mosaic", "mosaic gallery", "list"]) {
    await accepted(page, "PUT", "users/", () => button(page, "切换视图").click());
    await expect(page.locator("#listing")).toContainClass(view);
    await page.reload();
    await expect(entry(page, "shown.txt")).toBeVisible();
    await expect(page.locator("#listing")).toContainClass(view);
  }
});

test("File Browser's pages: an administrator's settings for all", async ({ page, api }) => {
  const before = await api.diskSettings();
  await enter(page, "admin", "/");
  await accepted(page, "GET", "settings", () => page.goto("/disk/settings/global"));
  await expect(page.getByLabel("分块大小")).toHaveValue(/^\d+(\.\d+)?[KMG]?B$/);
  await page.locator("#branding-links").check();
  await page.locator("#branding-used-disk").check();
  const loginButton = page.getByRole("paragraph").filter({ hasText: "隐藏登录按钮" });
  await loginButton.getByRole("checkbox").check();
  await accepted(page, "PUT", "settings", () => page.getByRole("button", { name: "更新" }).first().click());
  await expect(page.getByText("设置已更新")).toBeVisible();
  const { trashDays, quotas, exec } = before;
  const branding = { disableExternal: true };
  expect(await api.diskSettings()).toMatchObject({ trashDays, quotas, exec, branding });
});

test("File Browser's pages: an administrator takes away a right", async ({ page, api, disk }) => {
  await disk.names("/home/");
  const id = (await api.userNamed("zhangmin"))?.id ?? 0;
  await enter(page, "admin", "/");
  await page.goto("/disk/settings/users");
  await page.getByRole("row").filter({ hasText: "zhangmin" }).getByRole("link").click();
  await expect(page.getByLabel("用户名")).toHaveValue("zhangmin");
  await page.getByRole("paragraph").filter({ hasText: "分享文件" }).getByRole("checkbox").uncheck();
  await accepted(page, "PUT", "users/", () => page.getByRole("button", { name: "保存" }).click());
  await expect(page.getByText("用户信息已更新")).toBeVisible();
  const { perm } = await api.diskUser(id);
  expect(perm).toMatchObject({ share: false, download: true, create: true });
});
