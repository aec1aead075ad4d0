// Portal and storage host on machines of their own: the browser speaks with both, and either may be away for a while.
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { act, downloaded, entry, openFolder, upload } from "./fixtures/disk";
import { sha256, withFolder, writeRandom } from "./fixtures/files";
import { Hosts } from "./fixtures/hosts";
import { open, signIn } from "./fixtures/test";
import { panel, reaches, slow } from "./fixtures/transfers";

const megabyte = 1024 * 1024;

test("files go to a storage host of its own, also when the portal is away in between", async ({
  launchOptions,
  contextOptions,
}) => {
  test.skip(process.getuid?.() !== 0, "network namespaces need root");
  test.slow();
  const lab = await Hosts.start(launchOptions);
  try {
    const context = await lab.browser.newContext({ ...contextOptions, baseURL: lab.portal.origin });
    const page = await context.newPage();
    await signIn(page);
    await open(page, "/settings/basic_setting", "基本设置");
    await page.getByLabel("存储服务器").fill(`${lab.disk.origin}/disk`);
    await page.getByRole("button", { name: "保存", exact: true }).click();
    await expect(page.getByText("设置已保存")).toBeVisible();

    await openFolder(page, "/share/");
    await withFolder(async (folder) => {
      const path = join(folder, "model.pth");
      await writeRandom(path, 24 * megabyte);
      await slow(page, 4 * megabyte);
      await upload(page, "文件", path);
      await reaches(page, "model.pth", 20);

      // What is under way goes on; what comes after it is not answered without the portal.
      await lab.portal.kill();
      await expect(panel(page)).toContainText("已完成", { timeout: 30_000 });
      const again = page.getByRole("main").getByRole("button", { name: "重试" });
      const places = page.getByRole("navigation", { name: "网盘位置" });
      await places.getByRole("link", { name: "个人文件夹" }).click();
      await expect(again).toBeVisible();
      await lab.portal.startAgain();
      await again.click();
      await expect(again).toBeHidden();
      await places.getByRole("link", { name: "公共共享" }).click();
      await expect(entry(page, "model.pth")).toBeVisible();

      expect(await sha256(join(lab.disk.folder, "data/disk/share/model.pth"))).toBe(await sha256(path));
      const saved = await downloaded(page, () => act(page, "model.pth", "下载"));
      expect(await sha256(saved)).toBe(await sha256(path));
    });

    await lab.disk.kill();
    await page.reload();
    await expect(page.getByRole("main").getByRole("button", { name: "重试" })).toBeVisible();
    await lab.disk.startAgain();
    await page.getByRole("main").getByRole("button", { name: "重试" }).click();
    await expect(entry(page, "model.pth")).toBeVisible();
  } finally {
    await lab.stop();
  }
});
