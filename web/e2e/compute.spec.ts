// Computing, on a real engine: from the server's address to a released instance, and two people who want one card.
import type { Page } from "@playwright/test";
import type { components } from "@/shared/api/portal";
import { equip, smallInstance } from "./fixtures/compute";
import { Engine, test } from "./fixtures/engine";
import { expect, open, phone, signIn } from "./fixtures/test";

type Instance = components["schemas"]["InstanceView"];

// A container's network comes and goes with it, and Chromium tells on the console.
test.beforeEach(({ faults }) => faults.expect(/ERR_NETWORK_CHANGED/));

/** As little as an instance needs. */
async function keepSmall(page: Page) {
  await page.getByLabel("CPU 核数").fill("0.2");
  await page.getByLabel("内存大小", { exact: true }).fill("0.125");
  await page.getByLabel("共享内存大小").fill("0.0625");
}

const step = (page: Page, name: string) => page.getByRole("listitem", { name });

async function confirm(page: Page, question: RegExp, verb: string, typed?: string) {
  const dialog = page.getByRole("dialog", { name: question });
  if (typed) await dialog.getByRole("textbox").fill(typed);
  await dialog.getByRole("button", { name: verb, exact: true }).click();
  await expect(dialog).toBeHidden();
}

test("S015 S017 S044 S045 S047 S169 a server is added and allocated; its card is had, used, and given back", async ({
  engine,
  api,
  page,
  visitor,
}) => {
  test.setTimeout(180_000);
  await api.user({ username: "zhangmin" });

  await signIn(page);
  await open(page, "/servers/server_manage?panel=new", "服务器管理");
  const adding = page.getByRole("dialog", { name: "添加服务器" });
  await adding.getByRole("textbox", { name: "名称", exact: true }).fill("gpu-a01");
  await adding.getByLabel("公开地址").fill("127.0.0.1");
  await adding.getByLabel("引擎地址").fill(engine.endpoint);
  await adding.getByRole("button", { name: "添加", exact: true }).click();
  const checking = page.getByRole("dialog", { name: "检测 gpu-a01" });
  await expect(checking.getByText("连接容器引擎")).toBeVisible({ timeout: 30_000 });
  await page.keyboard.press("Escape");
  await expect(checking).toBeHidden();

  await page.getByRole("button", { name: "gpu-a01 的更多操作" }).click();
  await page.getByRole("menuitem", { name: "显卡" }).click();
  const cards = page.getByRole("dialog", { name: "gpu-a01 的显卡" });
  await cards.getByLabel("型号").fill("昇腾 910B");
  await cards.getByLabel("设备节点").fill(engine.card);
  await cards.getByRole("button", { name: "登记", exact: true }).click();
  await expect(cards.getByRole("listitem").filter({ hasText: engine.card })).toContainText("空闲");

  await open(page, "/servers/server_allocation", "服务器分配");
  await page.getByRole("button", { name: "把 gpu-a01 分配给所有人" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "分配", exact: true }).click();
  await expect(page.getByRole("button", { name: /共享 · 全部卡/ })).toBeVisible();

  const user = await visitor();
  await signIn(user, "zhangmin");
  await open(user, "/servers/server_list", "服务器列表");
  await user.getByRole("link", { name: "在 gpu-a01 创建实例" }).click();
  await user.getByRole("button", { name: "卡 0", exact: true }).click();
  await user.getByLabel("镜像名称").fill(Engine.image);
  await keepSmall(user);
  await user.getByRole("button", { name: "创建", exact: true }).click();

  const name = user.getByRole("heading", { level: 1, name: /^ins_zhangmin_GPU/ });
  await expect(name).toBeVisible();
  await expect(step(user, "可访问：已完成")).toBeVisible({ timeout: 60_000 });
  await expect(user.getByText(/^ssh -p \d+ /)).toBeVisible();
  const container = (await name.textContent()) ?? "";
  expect(await engine.docker("exec", container, "ls", engine.card)).toBe(engine.card);
  // Its charts say in words what they show.
  await expect(user.getByRole("img", { name: /^内存。内存：现在 / })).toBeVisible({ timeout: 30_000 });
  await expect(user.getByRole("img", { name: /^进程和线程。/ })).toBeVisible();

  await user.getByRole("button", { name: "停止", exact: true }).click();
  await confirm(user, /^停止实例/, "停止");
  await expect(user.getByText("实例已停止，启动后即可访问")).toBeVisible({ timeout: 60_000 });
  await user.getByRole("button", { name: "启动", exact: true }).click();
  await expect(step(user, "可访问：已完成")).toBeVisible({ timeout: 60_000 });
  // Not while it runs.
  await expect(user.getByRole("button", { name: "释放", exact: true })).toBeDisabled();
  await user.getByRole("button", { name: "停止", exact: true }).click();
  await confirm(user, /^停止实例/, "停止");
  await expect(user.getByText("实例已停止，启动后即可访问")).toBeVisible({ timeout: 60_000 });
  await user.getByRole("button", { name: "释放", exact: true }).click();
  await confirm(user, /^释放实例/, "释放", container.slice(-8));
  await expect(user.getByText("实例已释放，不能再访问")).toBeVisible({ timeout: 60_000 });
  expect(await engine.docker("ps", "-aq", "--filter", `name=${container}`)).toBe("");
});

test("two want the last card: the second is told who has it, also on a phone", async ({
  engine,
  api,
  apiOf,
  faults,
  visitor,
}) => {
  test.setTimeout(120_000);
  faults.expect(/ERR_FAILED/);
  faults.expectStatus(422);
  const server = await equip(api, engine, "gpu-a02");
  await api.user({ username: "zhangmin" });
  await api.user({ username: "wangfang" });

  const late = await visitor(phone);
  await signIn(late, "wangfang");
  await open(late, `/servers/instance_create?server=${server.id}&gpu=${server.gpus[0]?.id}`, "创建实例");
  await late.getByLabel("镜像名称").fill(Engine.image);
  await keepSmall(late);
  // What this page saw last stays, so that it asks for a card that is gone.
  await late.route("**/api/servers?*", (route) => route.abort());
  const create = late.getByRole("button", { name: "创建", exact: true });
  await expect(create).toBeEnabled();

  const first = await apiOf("zhangmin");
  const made = await first.post<Instance>("/api/instances", smallInstance(server.id, Engine.image, 1));
  await create.click();
  await expect(
    late.getByRole("alert").filter({ hasText: "0 号卡已被占用或不可用，请重新选择" }),
  ).toBeVisible();

  await late.unroute("**/api/servers?*");
  await expect(create).toBeDisabled();
  await late.getByRole("button", { name: "卡 0", exact: true }).tap();
  await expect(late.getByRole("button", { name: /^卡 0（zhangmin · ins_zhangmin_/ })).toBeVisible();

  await first.post<Instance>(`/api/instances/${made.id}/release`, undefined);
  await first.until(`/api/instances/${made.id}`, ({ state }: Instance) => state === "released");
});

test("a long reason of a failure leaves room for the list's other columns", async ({ engine, api, page }) => {
  test.setTimeout(120_000);
  const server = await equip(api, engine, "gpu-a03");
  const made = await api.post<Instance>(
    "/api/instances",
    smallInstance(server.id, "127.0.0.1:1/nobody/answers:1"),
  );
  await api.until(`/api/instances/${made.id}`, ({ state }: Instance) => state === "error");
  const failed = await api.get<Instance>(`/api/instances/${made.id}`);
  await signIn(page);
  await open(page, "/servers/instance_manage", "实例管理");
  await expect(page.getByTitle(failed.stateReason)).toBeVisible();
  const column = await page.getByRole("columnheader", { name: "状态" }).boundingBox();
  expect(column?.width).toBeLessThan(300);
});

test("an instance whose command ends at once says why, and one button keeps it running", async ({
  engine,
  api,
  page,
}) => {
  test.setTimeout(120_000);
  const server = await equip(api, engine, "gpu-a05");
  const made = await api.post<Instance>("/api/instances", {
    ...smallInstance(server.id, Engine.image),
    command: ["true"],
  });
  await signIn(page);
  await page.goto(`/servers/instance_detail/${made.id}`);
  await expect(page.getByText("镜像自带的命令一启动就执行完了，所以实例停止了")).toBeVisible({
    timeout: 60_000,
  });
  await page.getByRole("button", { name: "保持运行并启动" }).click();
  await expect(step(page, "可访问：已完成")).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("sleep infinity", { exact: true })).toBeVisible();
});

test("who leads a group finds its members' instances with the members, stops them, and gets no further", async ({
  engine,
  api,
  apiOf,
  visitor,
}) => {
  test.setTimeout(120_000);
  const server = await equip(api, engine, "gpu-a04");
  const [leader, member] = [await api.user({ username: "lijia" }), await api.user({ username: "zhangmin" })];
  await api.post("/api/groups", { name: "计算机视觉", leaders: [leader.id], members: [member.id] });
  const owner = await apiOf("zhangmin");
  const made = await owner.post<Instance>("/api/instances", smallInstance(server.id, Engine.image));
  await owner.until(`/api/instances/${made.id}`, ({ state }: Instance) => state === "running");

  const page = await visitor(phone);
  await signIn(page, "lijia");
  await open(page, "/users/groupmember_list", "组成员");
  const row = page.getByRole("list", { name: "组员的实例" }).getByRole("listitem", { name: made.name });
  await expect(row).toContainText("zhangmin");
  await expect(row).toContainText("运行中");
  await expect(row.getByRole("link", { name: "终端" })).toBeHidden();
  await row.getByRole("button", { name: "停止", exact: true }).tap();
  await confirm(page, /^停止实例/, "停止");
  await expect(row).toContainText("已停止", { timeout: 30_000 });

  await row.getByRole("link", { name: made.name }).tap();
  await expect(page.getByRole("button", { name: "释放", exact: true })).toBeDisabled();
  await expect(page.getByText("实例已停止，启动后即可访问")).toBeVisible();
  for (const way of ["网页终端", "文件"])
    await expect(page.getByRole("link", { name: way, exact: true })).toBeHidden();
});
