// Takes the pictures in docs/screenshots. Not a test of anything: `npm run screenshots`, or only of some views by their
// names: `VIEWS=login,usage npm run screenshots`.
import type { Page } from "@playwright/test";
import { upload } from "./fixtures/disk";
import { withFolder, writeRandom } from "./fixtures/files";
import { furnish, giveLinks } from "./fixtures/lab";
import { webm } from "./fixtures/media";
import { show, shownFailures, views } from "./fixtures/pages";
import { isWanted, looks, take } from "./fixtures/pictures";
import { shareViews } from "./fixtures/share-views";
import { expect, signIn, test } from "./fixtures/test";

/** An upload on its way, which takes a line slow enough to be caught. */
async function takeUpload(page: Page, name: string) {
  await page.goto("/netdisk/files/home/数据集整理/");
  await expect(page.getByText("这里有点冷清")).toBeVisible();
  const client = await page.context().newCDPSession(page);
  const line = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 3_000_000 };
  await client.send("Network.emulateNetworkConditions", line);
  await withFolder(async (folder) => {
    const paths = ["coco_val2017.zip", "标注 第二批.json", "images_part1.tar"].map(
      (file) => `${folder}/${file}`,
    );
    for (const [at, path] of paths.entries()) await writeRandom(path, (at + 2) * 4_000_000);
    await upload(page, "文件", paths);
    const circle = page.getByRole("progressbar", { name: "上传进度", exact: true });
    await expect.poll(async () => Number(await circle.getAttribute("aria-valuenow"))).toBeGreaterThan(40);
    const unfold = page.getByRole("button", { name: "展开传输列表" });
    if (await unfold.isVisible()) await unfold.click();
    await take(page, name);
    await client.send("Network.emulateNetworkConditions", { ...line, uploadThroughput: -1 });
    await expect(page.getByText("上传完成")).toBeVisible();
  });
}

async function takeReplace(page: Page, name: string) {
  await page.goto("/netdisk/files/home/");
  await expect(page.getByText("README.md")).toBeVisible();
  await withFolder(async (folder) => {
    await writeRandom(`${folder}/README.md`, 100);
    await upload(page, "文件", `${folder}/README.md`);
    await expect(page.getByRole("button", { name: "覆盖" })).toBeVisible();
    await take(page, name);
    await page.getByRole("button", { name: "跳过" }).click();
  });
}

for (const { suffix, width, options } of looks) {
  test(`pictures: ${suffix}`, async ({ visitor, api, apiOf, faults }) => {
    faults.expectStatus(...shownFailures);
    await furnish(api, apiOf, await webm(await visitor(), 640, 360));
    const links = await giveLinks(await apiOf("zhangmin"));
    for (const person of ["nobody", "admin", "zhangmin"] as const) {
      const page = await visitor(options);
      if (person !== "nobody") await signIn(page, person);
      for (const view of [...views, ...shareViews(links)].filter(
        (one) => one.who === person && isWanted(one.name),
      )) {
        await show(page, view);
        await take(page, `${view.name}-${suffix}`);
      }
      if (person === "zhangmin" && isWanted("netdisk-upload")) {
        await takeUpload(page, `netdisk-upload-${suffix}`);
      }
      if (person === "zhangmin" && isWanted("netdisk-replace")) {
        await takeReplace(page, `netdisk-replace-${suffix}`);
      }
      if (person === "admin" && width === 390 && isWanted("menu")) {
        await page.goto("/users/user_list");
        await page.getByRole("button", { name: "展开菜单" }).click();
        await expect(page.locator("#side-menu")).toBeInViewport();
        await take(page, `menu-${suffix}`);
      }
    }
  });
}
