// The whole way once: an administrator makes a user, who puts real files onto the disk from a phone, gets the same
// bytes back and signs out, after which the token is worth nothing.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Api } from "./fixtures/api";
import { act, downloaded, entry, openFolder, upload } from "./fixtures/disk";
import { sha256, sha256At, withFolder, writeRandom } from "./fixtures/files";
import { expect, open, phone, signIn, signInFirst, test, tokenOf } from "./fixtures/test";

const mebibyte = 1024 * 1024;
const bigMebibytes = process.env.E2E_ALL ? 300 : 80;
const fileCount = process.env.E2E_ALL ? 200 : 80;

test("S001 S004 S005 S203 S204 from an empty data folder to the same bytes back, on a phone", async ({
  page,
  visitor,
  server,
  faults,
}) => {
  test.setTimeout(240_000);
  // A first password is only good for choosing another.
  faults.expectStatus(422);
  await withFolder(async (folder) => {
    const big = join(folder, "权重 final.bin");
    const photos = join(folder, "照片");
    await writeRandom(big, bigMebibytes * mebibyte);
    await mkdir(join(photos, "第二层"), { recursive: true });
    const names = Array.from({ length: fileCount }, (_, at) =>
      at % 4 === 0 ? `第二层/图 ${at}.png` : `img_${String(at).padStart(3, "0")}.jpg`,
    );
    for (const [at, name] of names.entries()) await writeRandom(join(photos, name), 1000 + at * 97);

    await test.step("the administrator makes a user with quotas", async () => {
      await signIn(page);
      await open(page, "/users/user_list?panel=new", "用户列表");
      const drawer = page.getByRole("dialog", { name: "新建用户" });
      await drawer.getByLabel("用户名").fill("zhangmin");
      await drawer.getByLabel("姓名").fill("张敏");
      await drawer.getByLabel("初始密码").fill("lab2026a");
      await drawer.getByLabel("显卡", { exact: true }).fill("2");
      await drawer.getByLabel("网盘").fill("1");
      await drawer.getByRole("button", { name: "创建" }).click();
      await expect(page.getByText("已创建用户 zhangmin")).toBeVisible();
    });

    const theirs = await visitor(phone);
    await test.step("the user signs in on a phone and finds the disk in the menu", async () => {
      await signInFirst(theirs, "zhangmin", "lab2026a", "chosen2026");
      await theirs.getByRole("button", { name: "展开菜单" }).tap();
      await theirs.locator("#side-menu").getByRole("link", { name: "网盘", exact: true }).tap();
      await expect(theirs).toHaveURL("/netdisk/files/");
      await openFolder(theirs, "/home/");
    });

    await test.step("uploads a large file", async () => {
      await upload(theirs, "文件", big);
      await expect(theirs.getByRole("progressbar", { name: "上传进度", exact: true })).toBeVisible();
      await expect(theirs.getByText("上传完成")).toBeVisible({ timeout: 120_000 });
      await expect(entry(theirs, "权重 final.bin")).toContainText(`${bigMebibytes}.00 MB`);
    });
    await test.step("uploads a folder of many files", async () => {
      await upload(theirs, "文件夹", photos);
      await expect(entry(theirs, "照片")).toBeVisible({ timeout: 60_000 });
      await expect(theirs.getByRole("progressbar", { name: "上传进度", exact: true })).toHaveCount(0, {
        timeout: 60_000,
      });
    });

    const token = await tokenOf(theirs);
    await test.step("downloads the same bytes", async () => {
      const path = await downloaded(theirs, () => act(theirs, "权重 final.bin", "下载"));
      expect(await sha256(path)).toBe(await sha256(big));
      for (const name of [names[0] ?? "", names[1] ?? "", names.at(-1) ?? ""]) {
        await openFolder(theirs, `/home/照片/${name.includes("/") ? "第二层/" : ""}`);
        const own = name.split("/").at(-1) ?? "";
        const row = entry(theirs, own);
        // Only 50 are shown at first.
        while ((await row.count()) === 0) {
          await theirs.getByRole("grid", { name: "文件" }).press("End");
          await theirs.getByRole("grid", { name: "文件" }).press("PageDown");
        }
        const saved = await downloaded(theirs, () => act(theirs, own, "下载"));
        expect(await sha256(saved), name).toBe(await sha256(join(photos, name)));
      }
      for (const name of names) {
        const address = `/home/照片/${name}`.split("/").map(encodeURIComponent).join("/");
        const there = await sha256At(`${server.origin}/disk/api/raw${address}`, token);
        expect(there, name).toBe(await sha256(join(photos, name)));
      }
    });

    await test.step("signs out, and the old token is refused everywhere", async () => {
      await theirs.getByRole("button", { name: /账号菜单/ }).tap();
      await theirs.getByRole("menuitem", { name: "退出登录" }).tap();
      await expect(theirs).toHaveURL("/login");
      const old = await Api.withToken(server.origin, token);
      for (const [method, path] of [
        ["GET", "/api/dashboard"],
        ["GET", "/api/groups"],
        ["POST", "/api/renew"],
        ["POST", "/api/tickets"],
        ["GET", "/disk/api/resources/home/"],
        ["GET", "/disk/api/raw/home/%E6%9D%83%E9%87%8D%20final.bin"],
        ["POST", "/disk/api/resources/home/new/"],
        ["DELETE", "/disk/api/resources/home/%E7%85%A7%E7%89%87"],
        ["GET", `/disk/api/resources/home/?auth=${token}`],
      ] as const) {
        expect(await old.status(method, path), `${method} ${path}`).toBe(401);
      }
      await old.dispose();
    });
  });
});
