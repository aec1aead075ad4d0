// File Browser's pages of the generation before 2.44 (2.17 stands for 2.15 to 2.43), as somebody uses them who comes with
// them: their links carry the token, so they need no setting.
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import {
  accepted,
  answerPrompt,
  button,
  choose,
  entry,
  expect,
  fillLogin,
  prompt,
  shownNames,
  test,
} from "./fixtures/filebrowser";
import { withFolder } from "./fixtures/files";

test.use({ generation: "older" });

const hardFolder = "目录 😀 #?%&+";
const newNames = ["改名 #.txt", "my file.txt", "100%25.txt", "a+b&c.txt", "%41.txt"];

const menu = (page: Page, name: string) => page.getByRole("navigation").getByRole("button", { name });

async function enter(page: Page): Promise<void> {
  await page.goto("/disk/files/home/");
  await fillLogin(page, "zhangmin", "lab2026a");
  await expect(page.locator("#listing").or(page.getByText("这里没有任何文件"))).toBeVisible();
}

test("File Browser's older pages: made, edited, read back byte for byte, deleted", async ({ page, disk }) => {
  const content = randomBytes(3_000_000);
  await enter(page);
  await menu(page, "新建文件夹").click();
  await accepted(page, "POST", "resources/home/", () => answerPrompt(page, hardFolder));
  // It goes into the new folder by itself.
  await expect(page.getByText("这里没有任何文件")).toBeVisible();
  await menu(page, "新建文件").last().click();
  await accepted(page, "POST", "resources/home/", () => answerPrompt(page, "笔记 100%25.txt"));
  await page.locator(".ace_text-input").focus();
  await page.keyboard.type("the first line");
  await accepted(page, "PUT", "resources/home/", () => button(page, "保存").click());
  expect((await disk.download(`/home/${hardFolder}/笔记 100%25.txt`)).toString()).toBe("the first line");
  await page.goto("/disk/files/home/");
  await withFolder(async (folder) => {
    await writeFile(join(folder, "percent%41&plus+.bin"), content);
    await button(page, "上传").click();
    const choosing = page.waitForEvent("filechooser");
    await prompt(page).getByText("File", { exact: true }).click();
    await accepted(page, "POST", "resources/home/", async () =>
      (await choosing).setFiles(join(folder, "percent%41&plus+.bin")),
    );
  });
  await expect(entry(page, "percent%41&plus+.bin")).toBeVisible();
  await choose(page, "percent%41&plus+.bin");
  const downloading = page.waitForEvent("download");
  await button(page, "下载").click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await downloading).createReadStream()) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(content)).toBe(true);
  await button(page, "删除").click();
  await accepted(page, "DELETE", "resources/home/", () =>
    prompt(page).getByRole("button", { name: "删除" }).click(),
  );
  await expect.poll(() => shownNames(page)).toEqual([hardFolder]);
});

for (const kind of ["files", "folders"] as const) {
  test(`F1 File Browser's older pages: ${kind} get the names that they are renamed to`, async ({
    page,
    disk,
  }) => {
    const old = newNames.map((_, at) => `old ${at}`);
    for (const name of old) {
      await (kind === "files" ? disk.upload(`/home/${name}`, name) : disk.makeFolder(`/home/${name}`));
    }
    await enter(page);
    for (const [at, name] of old.entries()) {
      await choose(page, name);
      await button(page, "重命名").click();
      await accepted(page, "PATCH", "resources/home/", () => answerPrompt(page, newNames[at] ?? ""));
      await expect(entry(page, name)).toBeHidden();
    }
    await disk.expectNames("/home/", newNames);
    await expect.poll(async () => (await shownNames(page)).toSorted()).toEqual(newNames.toSorted());
  });
}

test("File Browser's older pages: copied and moved to hard names", async ({ page, disk }) => {
  await disk.makeFolder(`/home/${hardFolder}`);
  await disk.upload("/home/100%25 #.txt", "x");
  await enter(page);
  for (const action of ["复制", "移动"] as const) {
    await page.goto("/disk/files/home/");
    await choose(page, "100%25 #.txt");
    await button(page, `${action}文件`).click();
    await prompt(page).getByRole("button", { name: hardFolder, exact: true }).click();
    await accepted(page, "PATCH", "resources/home/", () =>
      prompt(page).getByRole("button", { name: action, exact: true }).click(),
    );
    await disk.expectNames(`/home/${hardFolder}/`, ["100%25 #.txt"]);
    if (action === "复制") {
      const copy = encodeURI(`/home/${hardFolder}/`).replace("#", "%23").replace("?", "%3F");
      await disk.status("DELETE", `/disk/api/resources${copy}100%2525%20%23.txt`);
    }
  }
  await disk.expectNames("/home/", [hardFolder]);
});

test("F13 File Browser's older pages: views and the profile are kept", async ({ page, disk }) => {
  await disk.upload("/home/a.txt", "1");
  await enter(page);
  await accepted(page, "PUT", "users/", () => button(page, "切换显示方式").click());
  await page.goto("/disk/settings/profile");
  await accepted(page, "PUT", "users/", () => page.getByRole("button", { name: "更新" }).first().click());
});
