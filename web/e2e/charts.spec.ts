// Charts in a real browser: one moment for all of them, a part of the time chosen by dragging or by keyboard, and little
// script for it.
import type { Page } from "@playwright/test";
import { showLab } from "./fixtures/shown-lab";
import { arrive, expect, phone, test } from "./fixtures/test";

const figure = (page: Page, title: string) =>
  page.getByRole("figure").filter({ has: page.getByText(title, { exact: true }) });

async function openInLab(page: Page, address: string) {
  await showLab(page, true);
  await arrive(page);
  await page.goto(address);
  await page.getByRole("figure").first().scrollIntoViewIfNeeded();
}

test("U12 at 1440 px eight cards have eight strips and eight values, and one moment for all charts", async ({
  page,
  faults,
}) => {
  faults.expectStatus(404);
  await openInLab(page, "/servers/server_detail/s0");
  const use = figure(page, "GPU 利用率");
  for (let card = 0; card < 8; card += 1)
    await expect(use.getByText(`卡 ${card}`, { exact: true })).toBeVisible();
  await expect(use.getByText(/^\d+%$/)).toHaveCount(8);
  const strips = use.getByRole("img");
  const box = await strips.boundingBox();
  if (!box) throw new Error("no strips");
  // In the gap, where nothing was measured.
  await strips.hover({ position: { x: box.width * 0.49, y: 40 } });
  await expect(use.getByText("—")).toHaveCount(8);
  await expect(figure(page, "温度").getByText("—")).toHaveCount(8);
  await expect(figure(page, "温度").getByText(/^\d\d:\d\d:\d\d$/)).toBeVisible();
  // A part of the time.
  await page.mouse.move(box.x + box.width * 0.6, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 20, { steps: 4 });
  await page.mouse.up();
  const everything = page.getByRole("button", { name: "显示全部" });
  await everything.press("Enter");
  await expect(everything).toHaveCount(0);
});

for (const [width, options] of [
  ["1440", {}],
  ["390", phone],
] as const) {
  test(`U12 at ${width} px lines tell whose each value is, and the keyboard reads any moment`, async ({
    visitor,
  }) => {
    const page = await visitor(options);
    await openInLab(page, "/servers/instance_detail/i1");
    const use = figure(page, "GPU 利用率");
    await expect(use).toContainText(/卡 0 \d+%.*卡 1 \d+%/);
    await expect(use.locator("canvas")).toBeVisible();
    const slider = page.getByRole("slider", { name: "查看时刻" }).first();
    await slider.focus();
    await slider.press("ArrowLeft");
    const first = await slider.getAttribute("aria-valuetext");
    expect(first).toMatch(/GPU 利用率 卡 0 \d+%、卡 1 \d+%/);
    await slider.press("ArrowLeft");
    await expect(slider).not.toHaveAttribute("aria-valuetext", first ?? "");
    // The instance's own charts show the same moment as its cards'.
    await expect(figure(page, "内存").getByText(/^\d\d:\d\d:\d\d$/)).toBeVisible();
    await slider.press("+");
    await expect(page.getByRole("button", { name: "显示全部" }).first()).toBeVisible();
    await slider.press("-");
    await expect(page.getByRole("button", { name: "显示全部" })).toHaveCount(0);
  });
}

test("U17 cards are counted whole, and charts take less than 120 kB of script", async ({ page }) => {
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (/\/assets\/(engine|Chart|HeatStrips)[^/]*\.js$/.test(response.url()))
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      );
  });
  await openInLab(page, "/dashboard");
  const cards = figure(page, "在用卡数");
  await expect(cards).toContainText(/在用 \d+ 张.*可用总数 44 张/);
  await expect(cards.locator("canvas")).toBeVisible();
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(120_000);
});
