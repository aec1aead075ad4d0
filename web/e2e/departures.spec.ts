// 人员离开: what somebody has is handed over or deleted, what fails is dealt with otherwise, and two administrators at once.
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import type { components } from "@/shared/api/portal";
import type { Api, User } from "./fixtures/api";
import { breakCalls, brokenWords } from "./fixtures/refusals";
import { arrive, expect, open, phone, pick, test } from "./fixtures/test";

type Schemas = components["schemas"];

/** The disk is asked once a second. */
const carriedOut = { timeout: 30_000 };

async function dataset(owner: Api, name: string): Promise<string> {
  const form: Schemas["DatasetForm"] = { name, type: "text", labels: [] };
  const { id } = await owner.post<{ id: string }>("/api/datasets", form);
  await owner.until(`/api/datasets/${id}`, ({ state }: { state: string }) => state === "ready");
  return id;
}

async function openPlan(page: Page): Promise<Locator> {
  await arrive(page);
  await open(page, "/users/leaving?name=zhangmin", "办理离开");
  const things = page.getByRole("list", { name: "zhangmin 拥有的资源" });
  await expect(things).toBeVisible();
  return things;
}

const receiver = (page: Page) => page.getByRole("combobox", { name: "接手的人", exact: true });

/** Begins, and types the name that is asked for. */
async function begin(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "开始办理" }).click();
  const question = page.getByRole("dialog", { name: "办理 zhangmin 的离开？" });
  await question.getByRole("textbox").fill("zhangmin");
  await page.keyboard.press("Enter");
  return question;
}

/** Everything is deleted, but for the home, which is for somebody. */
async function handOverHome(administrator: Api, user: User, to: User): Promise<string> {
  const held = await administrator.get<Schemas["DepartureHoldings"]>(`/api/departures/holdings/${user.id}`);
  const away = { action: "delete", receiver: null } as const;
  const form: Schemas["DepartureForm"] = {
    user: user.id,
    when: "now",
    stamp: held.stamp,
    plan: {
      instances: away,
      datasets: away,
      images: away,
      groups: { action: "keep", receiver: null },
      files: { action: "hand_over", receiver: to.id },
      exceptions: [],
    },
  };
  const { id } = await administrator.post<Schemas["DepartureDetail"]>("/api/departures", form);
  return id;
}

test("files and datasets are handed over, one is deleted instead, and a table says what became of each", async ({
  page,
  api,
  apiOf,
  disk,
  faults,
}) => {
  faults.expectStatus(404, 500);
  await api.user({ username: "lijia", name: "李佳" });
  await disk.upload("/home/论文.txt", "第一稿");
  const [kept, dropped] = [await dataset(disk, "corpus"), await dataset(disk, "drafts")];

  const things = await openPlan(page);
  await expect(things).toContainText("数据集 2 个");
  await expect(page.getByRole("button", { name: "开始办理" })).toBeDisabled();
  await expect(page.getByText("请选择接手的人")).toBeVisible();
  await pick(page, receiver(page), "李佳 lijia");
  const each = page.getByRole("button", { name: "逐个选择" });
  await each.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "收起", exact: true })).toBeFocused();
  await pick(page, page.getByRole("combobox", { name: "drafts 的处理方式" }), "删除");
  await expect(page.getByRole("button", { name: "收起（1 个单独处理）" })).toBeVisible();
  await begin(page);

  const progress = page.getByRole("dialog", { name: "zhangmin 的离开" });
  await expect(progress.getByText("已办完")).toBeVisible(carriedOut);
  const items = progress.getByRole("list", { name: "各项进展" });
  await expect(items.getByRole("listitem").filter({ hasText: "corpus" })).toContainText("接手：lijia");
  await expect(items.getByRole("listitem").filter({ hasText: "drafts" })).toContainText("删除");
  await expect(items.getByRole("listitem").filter({ hasText: "个人文件夹" })).toContainText("来自 zhangmin");

  const mend = await breakCalls(page, "**/api/departures/*/file");
  await progress.getByRole("button", { name: "下载结果" }).click();
  await expect(page.getByText(`没有下载：${brokenWords}`)).toBeVisible();
  await mend();
  const again = progress.getByRole("button", { name: "下载结果" });
  await expect(again).not.toHaveClass(/ant-btn-loading/);
  const download = page.waitForEvent("download");
  await again.click();
  const table = await readFile(await (await download).path(), "utf8");
  expect(table).toContain("类别");
  expect(table).toMatch(/数据集.*corpus.*移交.*lijia.*完成/);
  expect(table).toMatch(/数据集.*drafts.*删除.*完成/);

  const theirs = await apiOf("lijia");
  const { owner } = await theirs.get<Schemas["DatasetView"]>(`/api/datasets/${kept}`);
  expect(owner.username).toBe("lijia");
  expect(await api.status("GET", `/api/datasets/${dropped}`)).toBe(404);
  expect(await theirs.names("/home")).toEqual(["来自 zhangmin"]);
  expect((await theirs.download("/home/来自 zhangmin/论文.txt")).toString()).toBe("第一稿");
  expect(await api.userNamed("zhangmin")).toBeUndefined();

  // The record stays, also when the account is gone.
  await page.keyboard.press("Escape");
  await expect(progress).toBeHidden();
  const row = page.getByRole("table", { name: "人员离开" }).getByRole("row", { name: /zhangmin/ });
  await expect(row).toContainText("已办完");
  await row.getByRole("button", { name: "查看 zhangmin 的离开" }).click();
  await expect(progress.getByText("账号已删除")).toBeVisible();
});

test("what somebody got since the page was opened is shown before anything begins", async ({
  page,
  api,
  disk,
  faults,
}) => {
  faults.expectStatus(404, 409);
  await api.user({ username: "lijia", name: "李佳" });
  const things = await openPlan(page);
  await expect(things).not.toContainText("数据集");
  await pick(page, receiver(page), "李佳 lijia");
  await dataset(disk, "corpus");
  const question = await begin(page);
  await expect(page.getByText("此人的实例、数据集、镜像或用户组刚刚变化，请核对后再提交")).toBeVisible();
  await expect(question).toBeHidden();
  await expect(things).toContainText("数据集 1 个");
  expect(await api.userNamed("zhangmin")).toMatchObject({ active: true });
  // Whom it is for stands there still.
  await begin(page);
  const progress = page.getByRole("dialog", { name: "zhangmin 的离开" });
  await expect(progress.getByText("已办完")).toBeVisible(carriedOut);
  expect(await api.userNamed("zhangmin")).toBeUndefined();
});

test("another administrator was first: the page shows how far they are, and what failed is done otherwise", async ({
  page,
  api,
  apiOf,
  disk,
  faults,
}) => {
  test.setTimeout(120_000);
  faults.expectStatus(404, 409, 500);
  await api.user({ username: "boss", role: 1 });
  const lijia = await api.user({ username: "lijia", name: "李佳", diskQuota: 1024 });
  await disk.upload("/home/权重.bin", Buffer.alloc(64 * 1024));
  const zhangmin = await api.userNamed("zhangmin");
  if (!zhangmin) throw new Error("nobody is there to leave");

  await openPlan(page);
  await pick(page, receiver(page), "李佳 lijia");
  const id = await handOverHome(await apiOf("boss"), zhangmin, lijia);
  await begin(page);
  await expect(page.getByText(/^boss 已在办理/)).toBeVisible();
  await page.getByRole("link", { name: "查看进展" }).click();
  await expect(page).toHaveURL(`/users/departures?panel=detail&id=${id}`);
  const progress = page.getByRole("dialog", { name: "zhangmin 的离开" });
  await expect(progress.getByText("1 项失败，账号还没有删除")).toBeVisible(carriedOut);
  await expect(progress.getByText(/接手的人的网盘配额或磁盘空间不够/)).toBeVisible();
  expect(await api.userNamed("zhangmin")).toMatchObject({ active: false });

  const way = progress.getByRole("combobox", { name: "个人文件夹 zhangmin 的处理方式" });
  await pick(page, way, "留在原处，只有管理员能看");
  const mend = await breakCalls(page, "**/api/departures/*/retry", "POST");
  await progress.getByRole("button", { name: "重试" }).click();
  await expect(progress.getByText(brokenWords)).toBeVisible();
  await expect(progress.getByTitle("留在原处，只有管理员能看").first()).toBeVisible();
  await mend();
  await progress.getByRole("button", { name: "重试" }).click();
  await expect(page.getByText("已重新开始办理")).toBeVisible();
  await expect(progress.getByText("已办完")).toBeVisible(carriedOut);
  await expect(progress.getByText(/文件保留在网盘的/)).toBeVisible();
  const after = await api.get<Schemas["DepartureDetail"]>(`/api/departures/${id}`);
  expect(after).toMatchObject({ state: "done", failed: 0 });
  expect(await api.userNamed("zhangmin")).toBeUndefined();
});

test("what failed was tried again by another administrator meanwhile", async ({
  page,
  api,
  apiOf,
  disk,
  faults,
}) => {
  test.setTimeout(120_000);
  faults.expectStatus(404, 409);
  await api.user({ username: "boss", role: 1 });
  const lijia = await api.user({ username: "lijia", name: "李佳", diskQuota: 1024 });
  await disk.upload("/home/权重.bin", Buffer.alloc(64 * 1024));
  const zhangmin = await api.userNamed("zhangmin");
  if (!zhangmin) throw new Error("nobody is there to leave");
  const boss = await apiOf("boss");
  const id = await handOverHome(boss, zhangmin, lijia);
  const at = `/api/departures/${id}`;
  await boss.until(at, ({ state }: Schemas["DepartureDetail"]) => state === "failed");
  await arrive(page);
  await open(page, `/users/departures?panel=detail&id=${id}`, "人员离开");
  const progress = page.getByRole("dialog", { name: "zhangmin 的离开" });
  await expect(progress.getByRole("button", { name: "重试" })).toBeEnabled();

  const { plan } = await boss.get<Schemas["DepartureDetail"]>(at);
  const kept: Schemas["DeparturePlan"] = { ...plan, files: { action: "keep", receiver: null } };
  await boss.post(`${at}/retry`, { plan: kept });
  await boss.until(at, ({ state }: Schemas["DepartureDetail"]) => state === "done");
  await progress.getByRole("button", { name: "重试" }).click();
  await expect(progress.getByText("已办完")).toBeVisible();
  await expect(progress.getByText("账号已删除")).toBeVisible();
});

test("a plan waits for the account's last day, and is taken back", async ({ page, api, disk }) => {
  await disk.makeFolder("/home/实验");
  await api.user({ username: "lijia", name: "李佳" });
  const zhangmin = await api.userNamed("zhangmin");
  const things = await openPlan(page);
  await expect(page.getByRole("radio", { name: /账号到期时/ })).toBeDisabled();
  const end = "2060-12-31T15:59:59.000Z";
  expect(await api.status("PUT", `/api/users/${zhangmin?.id}/end`, { end })).toBe(200);
  await page.reload();
  await page.getByRole("radio", { name: /账号到期时（2060-12-31/ }).check();
  // What comes until then is decided on, too.
  await expect(things).toContainText("实例 0 个");
  await pick(page, receiver(page), "李佳 lijia");
  await page.getByRole("button", { name: "保存计划" }).click();
  await expect(page.getByText("已保存计划，账号到期时自动办理")).toBeVisible();
  await expect(page.getByText(/^admin 已设置计划/)).toBeVisible();
  const planned = "/api/departures?state=planned";
  expect(await api.get(planned)).toMatchObject({ total: 1 });
  expect(await api.userNamed("zhangmin")).toMatchObject({ active: true });

  await page.reload();
  await expect(page.getByRole("radio", { name: /账号到期时/ })).toBeChecked();
  await page.getByRole("button", { name: "取消计划" }).click();
  await expect(page.getByText("已取消计划")).toBeVisible();
  await expect(page.getByText(/^admin 已设置计划/)).toBeHidden();
  expect(await api.get(planned)).toMatchObject({ total: 0 });
});

test("on a phone: names that nobody has, one's own, and what does not come", async ({
  visitor,
  api,
  faults,
}) => {
  // Nobody has a folder before the first sign-in.
  faults.expectStatus(404, 500);
  await api.user({ username: "zhangmin", name: "张敏" });
  const page = await visitor(phone);
  await arrive(page);
  const mend = await breakCalls(page, "**/api/departures/holdings/*");
  await open(page, "/users/leaving?name=zhangmin,admin,nobody1", "办理离开");
  await expect(page.getByText("没有这些用户：nobody1，可能已经删除")).toBeVisible();
  await expect(page.getByText("不能办理自己的离开，请由其他管理员办理")).toBeVisible();
  await expect(page.getByText("拥有的资源没有取到")).toBeVisible();
  await expect(page.getByText(brokenWords)).toBeVisible();
  await mend();
  await page.getByRole("button", { name: "重试" }).tap();
  await expect(page.getByRole("list", { name: "zhangmin 拥有的资源" })).toBeVisible();
  for (const address of ["/users/leaving?name=zhangmin", "/users/leaving", "/users/departures"]) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, address).toBeLessThanOrEqual(0);
  }
});
