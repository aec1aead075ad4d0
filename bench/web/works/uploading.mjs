import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { taskSeconds } from "../../browser.mjs";

export const title = "上传 10 000 个小文件的文件夹";
export const data = [];
export const goal = "网页始终可用：没有 > 100 毫秒的任务";
export const note = "每个文件 100 字节，100 个文件夹。完成是最后一个文件到了磁盘上；任务和 CPU 是网页主线程的，50 毫秒以下的任务浏览器不报告。";
export const columns = ["完成（秒）", "最长任务（毫秒）", "CPU（秒）"];

const FILES = 10_000;

function makeFolder(folder) {
  for (let n = 0; n < FILES; n += 1) {
    const below = join(folder, `组 ${n % 100}`);
    if (n < 100) mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `样本 ${n}.json`), "x".repeat(100));
  }
}

const arrived = (folder) => readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".json")).length;

/** Remembers the longest task; the browser tells of those over 50 ms. */
const watch = () => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ entryTypes: ["longtask"] });
};

const upload = (site, browser, source, target) =>
  site.in(browser, "/", async (page, session) => {
    mkdirSync(target);
    await page.goto(site.origin + site.path(`/${target.split("/").at(-1)}/`));
    await page.evaluate(watch);
    const before = await taskSeconds(session);
    const begin = performance.now();
    await site.uploadFolder(page, source);
    while (arrived(target) < FILES) await wait(500);
    const seconds = (performance.now() - begin) / 1000;
    return [seconds, await page.evaluate(() => window.longest), (await taskSeconds(session)) - before];
  });

export async function run({ browser, sites, work, root }) {
  const source = join(work, "small-files");
  makeFolder(source);
  const rows = [];
  for (const [index, site] of sites.entries()) rows.push([site.name, ...(await upload(site, browser, source, join(root, `uploads-${index}`)))]);
  return rows;
}
