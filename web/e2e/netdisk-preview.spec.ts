// Looking at files: images with zoom, sound, film with subtitles, PDF; stepping to the next and the one before.
import type { Locator, Page } from "@playwright/test";
import { entry, openFolder } from "./fixtures/disk";
import { pdf, png, wav, webm } from "./fixtures/media";
import { arrive, expect, phone, test } from "./fixtures/test";

const shown = (page: Page, name: string) => page.getByRole("heading", { level: 2, name });
const image = (page: Page, name: string): Locator => page.getByRole("img", { name });
const percent = (page: Page, value: number) =>
  expect(page.getByRole("button", { name: `缩放 ${value}%，还原` })).toBeVisible();

test("S002 S129 S225 S226 steps through what can be looked at, by button, arrow and Enter", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/a.png", png(40, 30, [200, 30, 30]));
  await disk.upload("/home/b.txt", "text in between");
  await disk.upload("/home/c.wav", wav(1));
  await disk.upload("/home/d.png", png(30, 40, [30, 30, 200]));
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await entry(page, "a.png").dblclick();
  await expect(image(page, "a.png")).toBeVisible();
  await expect(page.getByText("1 / 3")).toBeVisible();
  await expect(page.getByRole("button", { name: "上一个" })).toBeDisabled();

  await page.keyboard.press("ArrowRight");
  await expect(shown(page, "c.wav")).toBeVisible();
  await expect(page.getByLabel("c.wav").locator("audio")).toHaveJSProperty("readyState", 4);
  await page.keyboard.press("Enter");
  await expect(image(page, "d.png")).toBeVisible();
  await expect(page.getByRole("button", { name: "下一个" })).toBeDisabled();
  await page.keyboard.press("ArrowLeft");
  await expect(shown(page, "c.wav")).toBeVisible();
  await page.getByRole("button", { name: "上一个" }).click();
  await expect(image(page, "a.png")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(entry(page, "a.png")).toBeVisible();
});

test("what only calls itself a picture is said to be none", async ({ page, disk, faults }) => {
  faults.expectStatus(422, 415);
  await disk.upload("/home/a.png", "no picture");
  await disk.upload("/home/b.png", "");
  await arrive(page, "zhangmin");
  for (const name of ["a.png", "b.png"]) {
    await page.goto(`/netdisk/files/home/${name}`);
    await expect(page.getByText("浏览器显示不了这张图片")).toBeVisible();
    await expect(image(page, name)).toHaveCount(0);
  }
});

test("S227 deleting goes on to the next, then back, then to the folder", async ({ page, disk }) => {
  for (const name of ["a", "b", "c"]) await disk.upload(`/home/${name}.png`, png(8, 8, [0, 120, 0]));
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/b.png");
  await expect(image(page, "b.png")).toBeVisible();
  const remove = async (name: string) => {
    await page.keyboard.press("Delete");
    await expect(page.getByRole("dialog", { name: `删除 ${name}？` })).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(page.getByText("已删除 1 项").first()).toBeVisible();
  };
  await remove("b.png");
  await expect(image(page, "c.png")).toBeVisible();
  await remove("c.png");
  await expect(image(page, "a.png")).toBeVisible();
  await remove("a.png");
  await expect(page.getByText("这里有点冷清")).toBeVisible();
  await disk.expectNames("/home/", []);
});

test("S229 S230 double click zooms 1, 2, 4, 1; the wheel goes in quarters and stops at its ends", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/a.png", png(600, 400, [90, 90, 90]));
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.png");
  await expect(image(page, "a.png")).toBeVisible();
  for (const value of [200, 400, 100]) {
    await image(page, "a.png").dblclick();
    await percent(page, value);
  }
  await image(page, "a.png").hover();
  await page.mouse.wheel(0, -100);
  await percent(page, 125);
  for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, -100);
  await percent(page, 400);
  await expect(page.getByRole("button", { name: "放大" })).toBeDisabled();
  for (let turn = 0; turn < 30; turn += 1) await page.mouse.wheel(0, 100);
  await percent(page, 25);
  await page.getByRole("button", { name: /还原/ }).click();
  await percent(page, 100);
});

test("S228 a large picture is shown reduced, and as it is when that is asked for", async ({ page, disk }) => {
  await disk.upload("/home/a.png", png(2000, 1000, [90, 90, 90]));
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.png");
  const width = () => image(page, "a.png").evaluate((element: HTMLImageElement) => element.naturalWidth);
  await expect.poll(width).toBe(1080);
  await page.getByRole("button", { name: "原图" }).click();
  await expect.poll(width).toBe(2000);
  await page.getByRole("button", { name: "原图" }).click();
  await expect.poll(width).toBe(1080);
});

test("S131 S132 a film plays and has the subtitles that lie beside it", async ({ page, disk }) => {
  await arrive(page, "zhangmin");
  await disk.upload("/home/film.webm", await webm(page));
  await disk.upload("/home/film.zh.srt", "1\n00:00:00,000 --> 00:00:01,000\n你好\n");
  await page.goto("/netdisk/files/home/film.webm");
  const film = page.locator("video");
  await expect(film).toBeVisible();
  await expect
    .poll(() => film.evaluate((video: HTMLVideoElement) => video.textTracks[0]?.cues?.length))
    .toBe(1);
  await expect(film).toHaveAttribute("aria-label", "film.webm");
  const label = await film.evaluate((video: HTMLVideoElement) => video.textTracks[0]?.label);
  expect(label).toBe("zh");
});

test("a jump in a recording goes on although the ticket of its address has run out", async ({
  page,
  disk,
  faults,
}) => {
  faults.expectStatus(401);
  // So long that the browser holds only a part of it.
  await disk.upload("/home/long.wav", wav(3600));
  await arrive(page, "zhangmin");
  let expired = false;
  let tickets = 0;
  page.on("request", (request) => {
    if (!request.url().endsWith("/api/tickets")) return;
    tickets += 1;
    expired = false;
  });
  // The server itself refuses it, as it refuses a ticket from a minute ago.
  await page.route("**/disk/api/raw/home/long.wav?*", (route) => {
    const url = new URL(route.request().url());
    if (expired) url.searchParams.set("auth", "too old");
    return route.continue({ url: url.href });
  });
  await page.goto("/netdisk/files/home/long.wav");
  const sound = page.locator("audio");
  await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.readyState)).toBeGreaterThan(0);
  /** Where it is, once it can play from there. */
  const place = () =>
    sound.evaluate((audio: HTMLAudioElement) =>
      audio.seeking || audio.readyState < 2 ? -1 : Math.floor(audio.currentTime),
    );
  const jump = async (to: number) => {
    expired = true;
    await sound.evaluate((audio: HTMLAudioElement, second) => {
      audio.currentTime = second;
    }, to);
  };
  // More often than a broken file is tried.
  for (const second of [3_000, 600, 2_400, 1_200, 1_800]) {
    const before = tickets;
    await jump(second);
    await expect.poll(place).toBe(second);
    expect(tickets, `${second}`).toBeGreaterThan(before);
  }
  await sound.evaluate((audio: HTMLAudioElement) => {
    audio.muted = true;
    audio.playbackRate = 1.5;
    return audio.play();
  });
  await jump(2_700);
  await expect.poll(place).toBeGreaterThan(2_700);
  expect(await sound.evaluate((audio: HTMLAudioElement) => [audio.paused, audio.playbackRate])).toEqual([
    false,
    1.5,
  ]);
});

test("S130 what the line breaks off is said to be that, and plays when tried again", async ({
  page,
  disk,
  faults,
}) => {
  faults.expect(/ERR_FAILED/);
  await disk.upload("/home/a.wav", wav(1));
  await arrive(page, "zhangmin");
  let cut = true;
  await page.route("**/disk/api/raw/home/a.wav?*", (route) => (cut ? route.abort() : route.continue()));
  await page.goto("/netdisk/files/home/a.wav");
  const fault = page.getByRole("main").getByRole("alert");
  await expect(fault).toContainText("连不上服务器，请检查网络后重试");
  cut = false;
  await fault.getByRole("button", { name: "重试" }).click();
  const sound = page.locator("audio");
  await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.readyState)).toBeGreaterThan(0);
});

test("S133 a PDF shows its pages with text that can be selected", async ({ page, disk }) => {
  await disk.upload("/home/report.pdf", pdf(["First page", "Second page", "Third page"]));
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/report.pdf");
  await expect(page.getByRole("region", { name: "PDF，共 3 页" })).toBeVisible();
  await expect(page.getByRole("region", { name: "第 1 页" }).getByText("First page")).toBeAttached();
  await expect(page.getByText("1 / 3")).toBeVisible();
  await page.getByRole("button", { name: "下一页" }).click();
  await expect(page.getByText("2 / 3")).toBeVisible();
  const larger = page.getByRole("button", { name: "放大" });
  await larger.click();
  await expect(page.getByText("125%")).toBeVisible();
  // Larger or smaller, it is the same page that is read; and nothing but the pages has moved.
  for (const zoom of ["150%", "200%"]) {
    await larger.click();
    await expect(page.getByText(zoom)).toBeVisible();
    await expect(page.getByText("2 / 3")).toBeVisible();
  }
  expect(await page.getByRole("main").evaluate((main) => main.scrollTop)).toBe(0);
  for (const zoom of ["150%", "125%", "100%", "75%", "50%"]) {
    await page.getByRole("button", { name: "缩小" }).click();
    await expect(page.getByText(zoom)).toBeVisible();
  }
  await expect(page.getByRole("button", { name: "缩小" })).toBeDisabled();
});

test("S133 a PDF is read by keys as soon as it is there; what is none says so", async ({
  page,
  disk,
  faults,
}) => {
  faults.expect(/PDF/);
  await disk.upload("/home/a.pdf", pdf(["First page", "Second page", "Third page"]));
  await disk.upload("/home/b.pdf", "no PDF at all");
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.pdf");
  await expect(page.getByText("1 / 3")).toBeVisible();
  await page.keyboard.press("End");
  await expect(page.getByText("3 / 3")).toBeVisible();
  await expect(page.getByRole("button", { name: "下一页" })).toBeDisabled();
  await page.keyboard.press("Home");
  await expect(page.getByText("1 / 3")).toBeVisible();
  const pages = page.getByRole("region", { name: "PDF，共 3 页" });
  const top = () => pages.evaluate((view) => view.scrollTop);
  await expect.poll(top).toBe(0);
  await page.keyboard.press("PageDown");
  await expect.poll(top).toBeGreaterThan(300);
  await page.goto("/netdisk/files/home/b.pdf");
  await expect(page.getByText("文件已损坏，或不是 PDF")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(entry(page, "b.pdf")).toBeVisible();
});

test("on a phone a swipe turns to the next", async ({ visitor, disk }) => {
  for (const name of ["a", "b"]) await disk.upload(`/home/${name}.png`, png(80, 60, [0, 0, 160]));
  const page = await visitor(phone);
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.png");
  await expect(image(page, "a.png")).toBeVisible();
  const touch = await page.context().newCDPSession(page);
  const swipe = async (from: number, to: number) => {
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: from, y: 500 }] });
    for (const share of [0.3, 0.6, 1])
      await touch.send("Input.dispatchTouchEvent", {
        type: "touchMove",
        touchPoints: [{ x: from + (to - from) * share, y: 500 }],
      });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  await swipe(300, 80);
  await expect(image(page, "b.png")).toBeVisible();
  await swipe(80, 300);
  await expect(image(page, "a.png")).toBeVisible();
});
