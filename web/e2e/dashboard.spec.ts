// The first page: what matters is in sight without scrolling, and everything is within reach of the keyboard.
import type { Locator, Page } from "@playwright/test";
import { showLab } from "./fixtures/shown-lab";
import { arrive, expect, open, phone, test } from "./fixtures/test";

const bottom = async (place: Locator) => {
  const box = await place.boundingBox();
  return (box?.y ?? 0) + (box?.height ?? Number.NaN);
};
const top = async (place: Locator) => (await place.boundingBox())?.y ?? Number.NaN;
const panel = (page: Page, name: string) => page.getByRole("heading", { level: 2, name });

/** The first steps are folded away once there are servers, which the lab of these tests only shows. */
async function arriveInLab(page: Page, who: string, admin: boolean) {
  await showLab(page, admin);
  await arrive(page, who);
  await page.evaluate((id) => localStorage.setItem("first_steps_closed", id), admin ? "1" : "2");
  await open(page, "/dashboard", "首页");
}

test.describe("in a lab", () => {
  test.use({ beginning: "furnished" });

  test("U7 U11 at 1440 px administrators see figures, chart, orders and all servers above 900 px", async ({
    page,
  }) => {
    await arriveInLab(page, "admin", true);
    const health = page.getByRole("table", { name: "服务器健康" });
    await expect(health.getByRole("row")).toHaveCount(8);
    await expect(health.getByText("RTX 4090 24G ×8").first()).toBeVisible();
    expect(await bottom(health)).toBeLessThanOrEqual(900);
    for (const name of ["显卡使用", "待办工单"]) expect(await bottom(panel(page, name))).toBeLessThan(500);
    const strip = page.getByRole("region", { name: "实验室概况" });
    await expect(
      strip.getByRole("link", { name: /GPU 卡在用|服务器在线|运行实例|待办工单|网盘存储/ }),
    ).toHaveCount(5);
    // By the keyboard to what is wrong, with its filter.
    await strip.getByRole("link", { name: "失联 1" }).press("Enter");
    await expect(page).toHaveURL("/servers/server_manage?state=unreachable");
    await expect(page.getByRole("table").getByRole("link", { name: "gpu-c01", exact: true })).toBeVisible();
    await expect(page.getByRole("table").getByRole("link", { name: "gpu-a01", exact: true })).toHaveCount(0);
  });

  test("U7 at 390 px orders and servers in trouble are within two screens", async ({ visitor }) => {
    const page = await visitor(phone);
    await arriveInLab(page, "admin", true);
    const health = page.getByRole("list", { name: "服务器健康" });
    await expect(health.getByRole("listitem").first()).toBeVisible();
    expect(await top(panel(page, "待办工单"))).toBeLessThan(844);
    expect(await top(panel(page, "服务器健康"))).toBeLessThan(844);
    expect(await bottom(health.getByText("卡 3 故障"))).toBeLessThan(2 * 844);
  });

  test("U20 at 1440 px people see their instances, free cards by model and orders above 900 px", async ({
    page,
  }) => {
    await arriveInLab(page, "zhangmin", false);
    const instances = page.getByRole("list", { name: "我的实例" });
    await expect(instances.getByRole("listitem").first()).toContainText("检测模型对比实验");
    expect(await top(instances)).toBeLessThan(400);
    const models = page.getByRole("list", { name: "各型号空闲卡" });
    await expect(models.getByRole("link", { name: /^A100 80G 空闲 \d+ \/ 16$/ })).toBeVisible();
    expect(await bottom(models)).toBeLessThan(900);
    expect(await bottom(panel(page, "我的工单"))).toBeLessThan(500);
    await models.getByRole("link", { name: /^A100/ }).press("Enter");
    await expect(page).toHaveURL(/\/servers\/server_list\?model=NVIDIA\+A100-SXM4-80GB&free=true/);
    await expect(page.getByRole("table").getByRole("link", { name: "gpu-b01", exact: true })).toBeVisible();
    await expect(page.getByRole("table").getByRole("link", { name: "gpu-a01", exact: true })).toHaveCount(0);
  });

  test("U20 at 390 px the instances come first, and free cards follow within two screens", async ({
    visitor,
  }) => {
    const page = await visitor(phone);
    await arriveInLab(page, "zhangmin", false);
    expect(await top(page.getByRole("list", { name: "我的实例" }))).toBeLessThan(300);
    const models = page.getByRole("list", { name: "各型号空闲卡" });
    expect(await bottom(models)).toBeLessThan(2 * 844);
  });
});

for (const [width, options] of [
  ["1440", {}],
  ["390", phone],
] as const) {
  test(`U20 at ${width} px an announcement folds when it was read, by keyboard, and stays so`, async ({
    api,
    visitor,
  }) => {
    await api.user({ username: "zhangmin" });
    await api.post("/api/announcements", { title: "周五停机维护", content: "请提前保存" });
    const page = await visitor(options);
    await arrive(page, "zhangmin");
    await open(page, "/dashboard", "首页");
    await expect(page.getByText("请提前保存")).toBeVisible();
    await page.getByRole("button", { name: "知道了：周五停机维护" }).press("Enter");
    await expect(page.getByText("请提前保存")).toBeHidden();
    await page.reload();
    const title = page.getByText("周五停机维护");
    await expect(title).toBeVisible();
    await expect(page.getByText("请提前保存")).toBeHidden();
    await page.locator("summary").filter({ has: title }).press("Enter");
    await expect(page.getByText("请提前保存")).toBeVisible();
  });
}
