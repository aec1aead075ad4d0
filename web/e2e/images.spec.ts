// Images on a real engine and a real registry: the public library, pulling, building, deleting.
import { equip } from "./fixtures/compute";
import { Engine } from "./fixtures/engine";
import { test } from "./fixtures/registry";
import { arrive, expect, open, pick, test as withServer } from "./fixtures/test";

withServer(
  "S054 S056 S264 without its address the public library says so, and administrators are led to it",
  async ({ api, page, faults, visitor }) => {
    faults.expect(/status of 409/);
    await api.user({ username: "zhangmin" });
    await arrive(page, "zhangmin");
    await open(page, "/images/image_show", "公共镜像库");
    await expect(page.getByText("公开镜像库访问url未设置，请设置")).toBeVisible();
    // An administrator's page, by its address too.
    await page.goto("/images/image_build/new");
    await expect(page).toHaveURL(/\/dashboard$/);
    const admins = await visitor();
    await arrive(admins);
    await open(admins, "/images/image_show", "公共镜像库");
    await admins.getByRole("link", { name: "去设置" }).click();
    await expect(admins.getByLabel("产品名称")).toBeVisible();
  },
);

// A build's network comes and goes with it, and Chromium tells on the console.
test.beforeEach(({ faults }) => faults.expect(/ERR_NETWORK_CHANGED/));

test("S019 S055 S057 an image of the library is looked at and pulled; one is built from a Dockerfile and deleted", async ({
  engine,
  registry,
  api,
  page,
}) => {
  test.setTimeout(180_000);
  const published = `${registry.host}/lab/tools:1.0`;
  await engine.docker("tag", Engine.image, published);
  await engine.docker("push", published);
  await engine.docker("rmi", published);
  await equip(api, engine, "gpu-a01");
  await api.changeBasic({ publicImageUrl: registry.url });
  await arrive(page);

  await open(page, "/images/image_show", "公共镜像库");
  await page.getByRole("link", { name: "lab/tools", exact: true }).click();
  await expect(page.getByRole("list", { name: "层" }).getByRole("listitem")).toHaveCount(1);
  await expect(page.getByRole("button", { name: "创建实例" })).toBeEnabled();

  await open(page, "/images/image_manage", "镜像管理");
  await page.getByRole("button", { name: "拉取镜像" }).click();
  const pulling = page.getByRole("dialog", { name: "拉取镜像" });
  await pulling.getByRole("textbox", { name: "镜像" }).fill(published);
  await pick(page, pulling.getByRole("combobox", { name: "服务器" }), "gpu-a01");
  await pulling.getByRole("button", { name: "拉取", exact: true }).click();
  const jobs = page.getByRole("list", { name: "镜像任务" });
  await expect(jobs.getByRole("listitem").filter({ hasText: published })).toContainText("完成", {
    timeout: 30_000,
  });
  expect(await engine.docker("images", "-q", published)).not.toBe("");

  await open(page, "/servers/instance_create", "创建实例");
  await page.getByRole("radio", { name: "lab/tools", exact: true }).check();
  await expect(page.getByLabel("镜像名称")).toHaveValue(published);
  await open(page, "/servers/server_list", "服务器列表");
  await page.getByRole("link", { name: "gpu-a01", exact: true }).click();
  await expect(page.getByRole("table", { name: "gpu-a01 的镜像" })).toContainText(published);

  await open(page, "/images/image_build/new", "构建镜像");
  await page.getByRole("textbox", { name: "名称" }).fill("tools");
  await pick(page, page.getByRole("combobox", { name: "服务器" }), "gpu-a01");
  const dockerfile = page.getByRole("textbox", { name: "Dockerfile 的内容" });
  await dockerfile.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(`FROM ${Engine.image}\nRUN echo built-here >/made\n`);
  await page.getByRole("button", { name: "开始构建" }).click();
  await expect(page.getByText("完成", { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("log")).toContainText("built-here");

  await page.getByRole("button", { name: "查看镜像" }).click();
  await page.getByRole("button", { name: /tools:latest 的更多操作$/ }).click();
  await page.getByRole("menuitem", { name: "删除" }).click();
  const deleting = page.getByRole("dialog", { name: /^删除镜像/ });
  await deleting.getByRole("textbox").fill("latest");
  await deleting.getByRole("button", { name: "删除", exact: true }).click();
  await expect(page.getByText("还没有镜像")).toBeVisible();
});
