// The watch on instances, on a real engine: what an administrator is told of a miner, and what its owner sees.
import type { components } from "@/shared/api/portal";
import { equip, smallInstance } from "./fixtures/compute";
import { Engine, test } from "./fixtures/engine";
import { expect, open, signIn } from "./fixtures/test";

type Instance = components["schemas"]["InstanceView"];

test("a miner is suspended; an administrator calls it a false alarm and lifts that", async ({
  engine,
  api,
  apiOf,
  faults,
  page,
  visitor,
}) => {
  test.setTimeout(180_000);
  // A container's network comes and goes with it, and Chromium tells on the console.
  faults.expect(/ERR_NETWORK_CHANGED/);
  const server = await equip(api, engine, "gpu-w01");
  await api.user({ username: "zhangmin" });

  await signIn(page);
  await open(page, "/servers/finding_list", "异常行为");
  await page.getByRole("button", { name: "监测设置" }).click();
  const settings = page.getByRole("dialog", { name: "监测设置" });
  await settings.getByText("记录并暂停实例").click();
  await settings.getByLabel("程序名").fill("digger");
  await settings.getByLabel("矿池端口").fill("70000");
  await settings.getByRole("button", { name: "保存" }).click();
  await expect(settings.getByText("每行一个 1 到 65535 的端口")).toBeVisible();
  await settings.getByLabel("矿池端口").fill("");
  await settings.getByRole("button", { name: "保存" }).click();
  await expect(settings).toBeHidden();

  const owner = await apiOf("zhangmin");
  const digger = "cp /bin/busybox /tmp/digger; exec -a sleep /tmp/digger 3600";
  const made = await owner.post<Instance>("/api/instances", {
    ...smallInstance(server.id, Engine.image),
    command: ["sh", "-c", digger],
  });
  // Found at one look, suspended at the next.
  const bell = page.getByRole("link", { name: "异常行为，1 条未处理" });
  await expect(bell).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("发现异常行为", { exact: true })).toBeVisible();
  await owner.until(`/api/instances/${made.id}`, ({ suspended }: Instance) => suspended !== "");

  const user = await visitor();
  await signIn(user, "zhangmin");
  await open(user, `/servers/instance_detail/${made.id}`, made.name);
  await expect(user.getByText("实例已暂停：发现疑似挖矿程序（digger）")).toBeVisible();
  await expect(user.getByRole("button", { name: "停止", exact: true })).toBeDisabled();
  await expect(user.getByRole("button", { name: "另存为镜像" })).toBeDisabled();
  await expect(user.getByText("实例已暂停，解除暂停后即可访问")).toBeVisible();
  await expect(user.getByRole("button", { name: "解除暂停" })).toBeHidden();

  await bell.click();
  const row = page.getByRole("row").filter({ hasText: made.name });
  await expect(row).toContainText("/tmp/digger");
  await row.getByRole("button", { name: /^处理/ }).click();
  const handling = page.getByRole("dialog", { name: "处理异常行为" });
  await handling.getByRole("button", { name: "解除暂停" }).click();
  await expect(handling.getByRole("button", { name: "解除暂停" })).toBeHidden();
  await handling.getByText("误报", { exact: true }).click();
  await handling.getByLabel("备注").fill("课程作业");
  await handling.getByRole("button", { name: "保存" }).click();
  await expect(handling).toBeHidden();
  await expect(bell).toBeHidden();
  await expect(user.getByText("实例已暂停：发现疑似挖矿程序（digger）")).toBeHidden({ timeout: 15_000 });
  await expect(user.getByRole("button", { name: "停止", exact: true })).toBeEnabled();

  await owner.post<Instance>(`/api/instances/${made.id}/release`, undefined);
  await owner.until(`/api/instances/${made.id}`, ({ state }: Instance) => state === "released");
});
