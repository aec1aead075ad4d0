// Files as cameras and programs make them, and such as want to do harm.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { Api } from "./fixtures/api";
import { withFolder } from "./fixtures/files";
import { ffmpeg, onItsSide } from "./fixtures/media";
import { arrive, expect, test } from "./fixtures/test";

const picture = ["-f", "lavfi", "-i", "testsrc=size=2400x1200:rate=10:duration=1"];
const tone = ["-f", "lavfi", "-i", "sine=duration=1"];

async function uploadMedia(disk: Api) {
  await withFolder(async (folder) => {
    const made = async (name: string, ...args: string[]) => {
      await ffmpeg([...args, join(folder, name)]);
      return readFile(join(folder, name));
    };
    const jpeg = await made("photo.jpg", ...picture, "-frames:v", "1");
    await disk.upload("/home/1 photo.jpg", onItsSide(jpeg));
    const small = [...picture, "-vf", "scale=60:30"];
    await disk.upload("/home/2 moving.gif", await made("a.gif", ...small));
    await disk.upload("/home/3 drawing.webp", await made("a.webp", ...small, "-frames:v", "1"));
    const codecs = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest"];
    await disk.upload("/home/4 film.mp4", await made("a.mp4", ...small.slice(0, 4), ...tone, ...codecs));
    await disk.upload("/home/4 film.zh.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\n你好\n");
    await disk.upload("/home/5 song.mp3", await made("a.mp3", ...tone));
  });
}

const size = (page: Page, name: string) =>
  page
    .getByRole("img", { name })
    .evaluate(({ naturalWidth, naturalHeight }: HTMLImageElement) => `${naturalWidth}×${naturalHeight}`);

/** Plays it, and waits until it has got somewhere. */
async function play(page: Page, kind: "video" | "audio") {
  const player = page.locator(kind);
  await expect(player).toHaveJSProperty("readyState", 4);
  await player.evaluate(async (media: HTMLMediaElement) => {
    media.muted = true;
    await media.play();
  });
  await expect
    .poll(() => player.evaluate((media: HTMLMediaElement) => media.currentTime))
    .toBeGreaterThan(0.2);
}

test("S129 S130 S131 S132 a photograph held upright, a GIF, a WebP, an MP4 with subtitles and an MP3", async ({
  page,
  disk,
}) => {
  await uploadMedia(disk);
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/1%20photo.jpg");
  await expect.poll(() => size(page, "1 photo.jpg")).toBe("540×1080");
  await page.getByRole("button", { name: "原图" }).click();
  await expect.poll(() => size(page, "1 photo.jpg")).toBe("1200×2400");
  for (const name of ["2 moving.gif", "3 drawing.webp"]) {
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => size(page, name)).toBe("60×30");
  }
  await page.keyboard.press("ArrowRight");
  await play(page, "video");
  const cues = page.locator("video").evaluate((film: HTMLVideoElement) => film.textTracks[0]?.cues?.length);
  expect(await cues).toBe(1);
  // A player has its own arrows, the page around it has ours.
  await page.getByRole("button", { name: "下一个" }).click();
  await play(page, "audio");
});

test("what HTML and SVG bring along does not run where they are looked at", async ({ page, disk }) => {
  const script = `localStorage.setItem("ran", "1")`;
  const shape = `<rect width="60" height="30"/><script>${script}</script>`;
  await disk.upload(
    "/home/a.svg",
    `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30" onload='${script}'>${shape}</svg>`,
  );
  await disk.upload("/home/b.html", `<img src="x" onerror='${script}'><script>${script}</script>`);
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/a.svg");
  await expect.poll(() => size(page, "a.svg")).toBe("60×30");
  await page.goto("/netdisk/files/home/b.html");
  await expect(page.locator(".cm-content")).toContainText("onerror");
  expect(await page.evaluate(() => localStorage.getItem("ran"))).toBeNull();
});

test("S003 a text of 5 MB is opened, changed at its end and saved whole", async ({ page, disk }) => {
  const text = Array.from(
    { length: 90_000 },
    (_, at) => `第 ${at} 行，loss 0.6931，准确率 91.2%，学习率 0.1\n`,
  ).join("");
  expect(Buffer.byteLength(text)).toBeGreaterThan(5_000_000);
  await disk.upload("/home/train.log", text);
  await arrive(page, "zhangmin");
  await page.goto("/netdisk/files/home/train.log?view=source");
  await expect(page.locator(".cm-content")).toBeFocused();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("最后一行");
  await expect(page.locator(".cm-content")).toContainText("最后一行");
  await page.keyboard.press("Control+s");
  await expect(page.getByText("已保存")).toBeVisible();
  expect((await disk.download("/home/train.log")).toString()).toBe(`${text}最后一行`);
});
