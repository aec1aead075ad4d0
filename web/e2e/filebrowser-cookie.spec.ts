// File Browser's own pages: what they load with nothing but the cookie `auth`, previews and downloads.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Locator } from "@playwright/test";
import { downloaded } from "./fixtures/disk";
import {
  accepted,
  allowPages,
  button,
  choose,
  enter,
  entry,
  expect,
  openFolder,
  prompt,
  test,
} from "./fixtures/filebrowser";
import { pdf, png, webm } from "./fixtures/media";

const names = ["a+b&c.txt", "改名 #.txt"] as const;

test.beforeEach(({ api }) => allowPages(api));

const expectPicture = (picture: Locator): Promise<void> =>
  expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(1);

test("File Browser's pages: thumbnails and previews", async ({ page, disk }) => {
  const film = await webm(page);
  await disk.upload("/home/图 #1.png", png(640, 480, [200, 30, 30]));
  await disk.upload("/home/film 100%.webm", film);
  await disk.upload("/home/paper+.pdf", pdf(["one page"]));
  await enter(page);
  await expectPicture(entry(page, "图 #1.png").getByRole("img"));
  await accepted(page, "GET", "preview/big/home/", () => entry(page, "图 #1.png").dblclick());
  await expectPicture(page.locator(".image-ex-img"));
  await openFolder(page, "/home/");
  await entry(page, "film 100%.webm").dblclick();
  const ready = () => page.locator("video").evaluate((video: HTMLVideoElement) => video.readyState);
  await expect.poll(ready).toBeGreaterThanOrEqual(2);
  await openFolder(page, "/home/");
  await entry(page, "paper+.pdf").dblclick();
  // This Chromium shows no PDF, so the test asks for it as the viewer would.
  const address = await page.locator("object.pdf").getAttribute("data");
  const paper = await page.request.get(address ?? "");
  expect(paper.status()).toBe(200);
  expect(paper.headers()["content-type"]).toBe("application/pdf");
});

test("File Browser's pages: downloads", async ({ page, disk }) => {
  for (const name of names) await disk.upload(`/home/${name}`, `content of ${name}`);
  await enter(page);
  for (const name of names) {
    await choose(page, name);
    const file = await downloaded(page, () => button(page, "下载").click());
    expect(await readFile(file, "utf8")).toBe(`content of ${name}`);
  }
});

const tarNames = (tar: Buffer) =>
  execFileSync("tar", ["--list", "--quoting-style=literal"], { input: tar, encoding: "utf8" })
    .trim()
    .split("\n");

const archives: Record<string, (archive: Buffer) => unknown> = {
  // The names stand in it as they are.
  zip: (archive) => names.filter((name) => archive.includes(name)),
  "tar.gz": (archive) => tarNames(gunzipSync(archive)),
  "tar.br": (archive) => tarNames(brotliDecompressSync(archive)),
};

for (const [format, namesIn] of Object.entries(archives)) {
  test(`File Browser's pages: download of two files as ${format}`, async ({ page, disk }) => {
    for (const name of names) await disk.upload(`/home/${name}`, name);
    await enter(page);
    await choose(page, names[0]);
    await entry(page, names[1]).click({ modifiers: ["Control"] });
    await page.locator("header").getByRole("button", { name: "下载" }).click();
    const choice = prompt(page).getByRole("button", { name: format, exact: true });
    const archive = await readFile(await downloaded(page, () => choice.click()));
    expect(namesIn(archive)).toEqual(names);
  });
}
