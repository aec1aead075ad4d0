// Cards of a server whose engine is away: several declared at once, kept out of use, out of order, and their history.
import type { Locator, Page } from "@playwright/test";
import type { components } from "@/shared/api/portal";
import type { Api } from "./fixtures/api";
import { chooseEntry } from "./fixtures/menu";
import { breakCalls, brokenWords } from "./fixtures/refusals";
import { arrive, expect, open, phone, test } from "./fixtures/test";

type Schemas = components["schemas"];
type Cards = Schemas["Gpu"][];

/** Nobody answers for it, so that its cards are what administrators say of them. */
async function addServer(api: Api, nodes: readonly string[] = []): Promise<string> {
  const form = { name: "gpu-r02", endpoint: "unix:///run/no-engine.sock", publicHost: "gpu-r02.lab" };
  const { id } = await api.post<Schemas["ServerView"]>("/api/servers", form);
  for (const node of nodes) {
    await api.post("/api/gpus", { server: id, model: "昇腾 910B", deviceNodes: [node] });
  }
  return id;
}

async function cardsOf(api: Api, server: string): Promise<Cards> {
  const { gpus } = await api.get<Schemas["ServerView"]>(`/api/servers/${server}`);
  return gpus;
}

async function openCards(page: Page, server: string): Promise<Locator> {
  await arrive(page);
  await open(page, `/servers/server_manage?panel=gpus&id=${server}`, "服务器管理");
  const drawer = page.getByRole("dialog", { name: "gpu-r02 的显卡" });
  await expect(drawer).toBeVisible();
  return drawer;
}

async function choose(page: Page, card: string, entry: string): Promise<void> {
  await page.getByRole("button", { name: `${card} 的更多操作` }).click();
  await chooseEntry(page.getByRole("menuitem", { name: entry, exact: true }));
}

test("several equal cards are declared by one form, all of them or none", async ({ page, api, faults }) => {
  faults.expectStatus(422);
  const server = await addServer(api);
  const drawer = await openCards(page, server);
  await expect(drawer.getByText("还没有显卡")).toBeVisible();
  await drawer.getByLabel("型号").fill("昇腾 910B");
  await drawer.getByLabel("编号").fill("三张");
  await drawer.getByLabel("设备节点").fill("/dev/davinci{n}\n/dev/davinci_manager");
  await drawer.getByLabel("编号").press("Enter");
  await expect(drawer.getByText("例如 0-3，或 0-3,6；最多 64 张")).toBeVisible();
  expect(await cardsOf(api, server)).toEqual([]);

  await drawer.getByLabel("编号").fill("0-2，5");
  await drawer.getByLabel("显存").fill("64");
  await drawer.getByRole("button", { name: "登记 4 张" }).click();
  await expect(page.getByText("已登记 4 张卡")).toBeVisible();
  const list = drawer.getByRole("list", { name: "显卡" });
  await expect(list.getByRole("listitem")).toHaveCount(4);
  await expect(list).toContainText("/dev/davinci5、/dev/davinci_manager");
  await expect(drawer.getByLabel("编号")).toHaveValue("");
  const made = await cardsOf(api, server);
  expect(made.map(({ deviceNodes }) => deviceNodes?.[0])).toEqual(
    [0, 1, 2, 5].map((number) => `/dev/davinci${number}`),
  );
  expect(made[0]?.memoryTotal).toBe(64 * 1024 ** 3);

  // One of these is there already.
  await drawer.getByLabel("型号").fill("昇腾 910B");
  await drawer.getByLabel("编号").fill("5-7");
  await drawer.getByLabel("设备节点").fill("/dev/davinci{n}");
  await drawer.getByRole("button", { name: "登记 3 张" }).click();
  await expect(drawer.getByText("其中有设备节点已登记为另一张显卡").first()).toBeVisible();
  await expect(drawer.getByLabel("设备节点")).toHaveValue("/dev/davinci{n}");
  expect(await cardsOf(api, server)).toHaveLength(4);
});

test("a card is kept out of use and used again", async ({ page, api }) => {
  const server = await addServer(api, ["/dev/davinci0"]);
  const drawer = await openCards(page, server);
  await choose(page, "卡 0", "停用");
  await expect(page.getByText("卡 0 已停用")).toBeVisible();
  await expect(drawer.getByText("管理员已停用这张卡")).toBeVisible();
  expect((await cardsOf(api, server))[0]?.excluded).toBe(true);
  await choose(page, "卡 0", "恢复使用");
  await expect(page.getByText("卡 0 已恢复使用")).toBeVisible();
  await expect(drawer.getByText("管理员已停用这张卡")).toBeHidden();
  expect((await cardsOf(api, server))[0]?.excluded).toBe(false);
});

test("a fault is marked, a run that cannot be made says why, and the history keeps all of it", async ({
  page,
  api,
  faults,
}) => {
  faults.expectStatus(409, 500, 503);
  const server = await addServer(api, ["/dev/davinci0"]);
  const drawer = await openCards(page, server);
  await choose(page, "卡 0", "标记故障");
  const marking = page.getByRole("dialog", { name: "标记故障 gpu-r02 卡 0" });
  await expect(marking.getByLabel("故障说明")).toBeFocused();
  await expect(marking.getByRole("button", { name: "标记故障" })).toBeDisabled();
  await marking.getByLabel("故障说明").fill("风扇异响");

  // It fails once: what was written is still there.
  const mend = await breakCalls(page, "**/api/gpus/*", "PUT");
  await page.keyboard.press("Enter");
  await expect(page.getByText(brokenWords)).toBeVisible();
  await expect(marking.getByLabel("故障说明")).toHaveValue("风扇异响");
  await mend();
  await marking.getByLabel("故障说明").press("Enter");
  await expect(page.getByText("卡 0 已标记为故障")).toBeVisible();
  await expect(marking).toBeHidden();
  await expect(drawer.getByText("故障：风扇异响")).toBeVisible();
  expect((await cardsOf(api, server))[0]?.fault).toBe("风扇异响");

  await drawer.getByRole("button", { name: "试运行" }).click();
  await expect(page.getByText(/^试运行失败/)).toBeVisible({ timeout: 30_000 });
  expect((await cardsOf(api, server))[0]?.fault).toBe("风扇异响");

  await choose(page, "卡 0", "不试运行，直接恢复");
  await expect(page.getByText("卡 0 已恢复")).toBeVisible();
  await expect(drawer.getByText("故障：风扇异响")).toBeHidden();
  await choose(page, "卡 0", "故障记录");
  const history = page.getByRole("dialog", { name: "gpu-r02 卡 0 的故障记录" });
  const outages = history.getByRole("list", { name: "故障", exact: true });
  await expect(outages.getByRole("listitem")).toHaveCount(1);
  await expect(outages).toContainText("风扇异响");
  await expect(outages).toContainText("admin 标记；admin 直接恢复");
  await expect(history.getByText("没有 Xid")).toBeVisible();
});

test("another administrator has mended a card meanwhile: a run of it is refused and the list is fresh", async ({
  page,
  api,
  faults,
}) => {
  faults.expect(/ERR_FAILED/);
  faults.expectStatus(409);
  const server = await addServer(api, ["/dev/davinci0"]);
  const [card] = await cardsOf(api, server);
  const path = `/api/gpus/${card?.id}`;
  expect(await api.status("PUT", path, { fault: "掉卡" })).toBe(200);
  const drawer = await openCards(page, server);
  await expect(drawer.getByText("故障：掉卡")).toBeVisible();
  // What this page saw last stays, so that it asks about a card that is fine.
  const lists = "**/api/servers?*";
  await page.route(lists, (route) => route.abort());
  expect(await api.status("PUT", path, { fault: "" })).toBe(200);
  await drawer.getByRole("button", { name: "试运行" }).click();
  await expect(page.getByText("这张显卡没有故障，不需要试运行")).toBeVisible();
  await page.unroute(lists);
  await expect(drawer.getByRole("button", { name: "试运行" })).toBeHidden();
});

test("the cards and their history fit a phone; what does not come is asked for again", async ({
  visitor,
  api,
  faults,
}) => {
  faults.expectStatus(500);
  const server = await addServer(api, ["/dev/davinci0"]);
  const page = await visitor(phone);
  await openCards(page, server);
  const mend = await breakCalls(page, "**/api/gpus/*/outages?*");
  await choose(page, "卡 0", "故障记录");
  const history = page.getByRole("dialog", { name: "gpu-r02 卡 0 的故障记录" });
  await expect(history.getByText("故障没有取到")).toBeVisible();
  await expect(history.getByText("没有 Xid")).toBeVisible();
  await mend();
  await history.getByRole("button", { name: "重试" }).tap();
  await expect(history.getByText("没有出过故障")).toBeVisible();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

test("on its server's page a faulty card has its history, and a work order that is already written", async ({
  page,
  api,
}) => {
  const server = await addServer(api, ["/dev/davinci0", "/dev/davinci1"]);
  const [, card] = await cardsOf(api, server);
  expect(await api.status("PUT", `/api/gpus/${card?.id}`, { fault: "显存报错" })).toBe(200);
  await arrive(page);
  await open(page, `/servers/server_detail/${server}`, "gpu-r02");
  // Only the faulty one has anything to be done.
  await expect(page.getByRole("button", { name: "试运行卡 0" })).toBeHidden();
  await expect(page.getByRole("button", { name: "试运行卡 1" })).toBeVisible();
  await page.getByRole("button", { name: "卡 1 的故障记录" }).focus();
  await page.keyboard.press("Enter");
  const history = page.getByRole("dialog", { name: "gpu-r02 卡 1 的故障记录" });
  await expect(history.getByText("故障中")).toBeVisible();
  await expect(history.getByText("admin 标记")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(history).toBeHidden();
  await page.getByRole("link", { name: "为卡 1 提工单" }).click();
  const order = page.getByRole("dialog", { name: "新建工单" });
  await expect(order.getByRole("textbox", { name: "标题" })).toHaveValue("gpu-r02 卡 1 故障");
  await expect(order.getByRole("textbox", { name: "说明" })).toHaveValue(/显存报错/);
});
