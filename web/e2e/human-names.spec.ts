// Names that people use: of instances, of people, of cards.
import { showLab, shownInstance } from "./fixtures/shown-lab";
import { arrive, expect, phone, test } from "./fixtures/test";

for (const [width, options] of [
  ["1440", {}],
  ["390", phone],
] as const) {
  test(`U8 U18 U51 at ${width} px an instance has its name first, and its id is copied`, async ({
    api,
    visitor,
    server,
  }) => {
    await api.user({ username: "zhangmin", name: "张敏" });
    const page = await visitor(options);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.origin });
    await showLab(page, false);
    let note = "";
    const owner = { id: 2, username: "zhangmin", name: "张敏" };
    await page.route("**/api/instances/i1", (route) => {
      if (route.request().method() === "PUT") note = route.request().postDataJSON().note;
      return route.fulfill({ json: shownInstance({ note, owner }) });
    });
    await arrive(page, "zhangmin");
    await page.goto("/servers/instance_detail/i1");
    const title = page.getByRole("heading", { level: 1 });
    await expect(title).toHaveText("ins_zhangmin_GPUk3f9xq2ab");

    // Changed where it is read, by keyboard.
    await page.getByRole("button", { name: "修改名称" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "修改名称" });
    await expect(dialog.getByLabel("名称", { exact: true })).toBeFocused();
    await page.keyboard.insertText("检测模型对比实验");
    await page.keyboard.press("Enter");
    await expect(page.getByText("名称已保存")).toBeVisible();
    await expect(title).toHaveText("检测模型对比实验");
    await expect(dialog).toBeHidden();

    await page.getByRole("button", { name: "复制实例编号 ins_zhangmin_GPUk3f9xq2ab" }).press("Enter");
    await expect(page.getByText("已复制", { exact: true })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("ins_zhangmin_GPUk3f9xq2ab");

    // Which cards they are is written beside the squares.
    await expect(page.getByText(/^卡 0、卡 1 · /)).toBeAttached();
    await expect(page.getByText("张敏 zhangmin")).toBeAttached();
  });
}

test("U8 the list of instances shows names, and ids only in small", async ({ page, api }) => {
  await api.user({ username: "zhangmin", name: "张敏" });
  await showLab(page, false);
  await arrive(page, "zhangmin");
  await page.goto("/dashboard");
  const mine = page.getByRole("list", { name: "我的实例" });
  await expect(mine.getByRole("link", { name: "检测模型对比实验", exact: true })).toBeVisible();
  await expect(mine.getByRole("link", { name: "数据清洗", exact: true })).toBeVisible();
  // Without a name of its own it is known by its id.
  await expect(mine.getByRole("link", { name: "ins_zhangmin_GPU8bz1cq9w3", exact: true })).toBeVisible();
});
