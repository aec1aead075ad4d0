// The list as people of other disks know it: menus by the right button, one touch opens, long names keep their ending.
import { card, entry, openFolder } from "./fixtures/disk";
import { png, webm } from "./fixtures/media";
import { arrive, expect, phone, test } from "./fixtures/test";

test("the right button opens the menu of an entry, of several, and of the folder", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "a");
  await disk.upload("/home/b.txt", "b");
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.txt").click({ button: "right" });
  await page.getByRole("menuitem", { name: "重命名" }).click();
  await expect(page.getByRole("dialog", { name: "重命名 a.txt" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await page.keyboard.press("Control+a");
  await entry(page, "b.txt").click({ button: "right" });
  await expect(page.getByRole("menuitem", { name: "重命名" })).toHaveCount(0);
  await page.getByRole("menuitem", { name: "删除" }).click();
  await expect(page.getByRole("dialog", { name: "删除选中的 2 项？" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  const ground = await page.getByText("0 个文件夹，2 个文件").boundingBox();
  if (!ground) throw new Error("there is no foot");
  await page.mouse.click(ground.x + 200, ground.y + 60, { button: "right" });
  await page.getByRole("menuitem", { name: "新建文件夹" }).click();
  await expect(page.getByRole("dialog", { name: "新建文件夹" })).toBeVisible();
});

test("on a phone one touch opens, and the box selects", async ({ visitor, disk }) => {
  await disk.makeFolder("/home/docs");
  await disk.upload("/home/a.txt", "a");
  await disk.upload("/home/b.txt", "b");
  const page = await visitor(phone);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "docs").tap();
  await expect(page).toHaveURL(/\/home\/docs\/$/);
  await page.goBack();
  await entry(page, "a.txt").getByRole("checkbox").tap();
  await expect(page.getByText("已选 1 项")).toBeVisible();
  await entry(page, "b.txt").tap();
  await expect(page.getByText("已选 2 项")).toBeVisible();
  await page.getByRole("button", { name: "取消选择" }).tap();
  await entry(page, "a.txt").tap();
  await expect(page.getByRole("heading", { level: 2, name: "a.txt" })).toBeVisible();
});

for (const [size, width] of [
  ["desktop", 1440],
  ["phone", 390],
] as const)
  test(`a long name keeps its ending in sight: ${size}`, async ({ page, disk }) => {
    const name = `${"很长的实验记录".repeat(9)}_v2.docx`;
    await disk.upload(`/home/${name}`, "x");
    await page.setViewportSize({ width, height: 844 });
    await arrive(page, "zhangmin");
    await openFolder(page, "/home/");
    const end = entry(page, name)
      .getByText(/_?v2\.docx$/)
      .last();
    const row = await entry(page, name).boundingBox();
    const box = await end.boundingBox();
    if (!row || !box) throw new Error("there is no row");
    expect(box.x + box.width).toBeLessThanOrEqual(row.x + row.width);
    await expect(end).toBeInViewport();
  });

test("films show a frame, and nothing plays", async ({ page, disk }) => {
  await arrive(page, "zhangmin");
  await disk.upload("/home/演示.webm", await webm(page));
  await disk.upload("/home/坏的.webm", "no film");
  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "平铺" }).click();
  const film = card(page, "演示.webm").locator("video");
  await expect.poll(() => film.evaluate((video: HTMLVideoElement) => video.readyState)).toBeGreaterThan(1);
  await expect(film).toHaveJSProperty("paused", true);
  await expect(film).toHaveJSProperty("muted", true);
  await expect(card(page, "坏的.webm").locator("video")).toHaveCount(0);
});

test("pictures of cards are whole", async ({ page, disk }) => {
  await disk.upload("/home/高.png", png(100, 600, [30, 90, 200]));
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("button", { name: "平铺" }).click();
  const picture = card(page, "高.png").locator("img");
  await expect(picture).toHaveCSS("object-fit", "contain");
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalHeight / image.naturalWidth))
    .toBe(6);
});

test("hits of a search have size, time and folder", async ({ page, disk }) => {
  await disk.makeFolder("/home/sub");
  await disk.upload("/home/sub/found.bin", Buffer.alloc(2048));
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await page.getByRole("textbox", { name: "搜索文件" }).fill("found");
  await page.keyboard.press("Enter");
  const hit = page.getByRole("link", { name: /found\.bin/ });
  await expect(hit).toContainText("sub/");
  await expect(hit).toContainText("2.00 KB");
  await expect(hit.locator("time")).toHaveText("刚刚");
});
