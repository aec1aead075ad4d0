import { taskSeconds } from "../../browser.mjs";
import { median } from "../../disk/load.mjs";

export const title = "打开文件夹";
export const data = ["pages"];
export const goal = "100 000 项：应答到达后 1.5 秒内可用";
export const note =
  "在上一级文件夹里双击。“可用”是第一批行画完、主线程空闲，从应答的最后一个字节算起；“全程”从第二次按下算起，包括服务器；CPU 是网页主线程的时间。";
export const columns = [100, 10_000, 100_000].flatMap((size) => [`${size} 项：可用（毫秒）`, "全程", "CPU"]);

const SIZES = [100, 10_000, 100_000];

/** Resolves when rows of the folder that is opened by the next double click are drawn and the page is idle. */
const watch = (row) => {
  window.opened = new Promise((resolve) => {
    addEventListener("mousedown", function pressed({ timeStamp, detail }) {
      if (detail !== 2) return;
      removeEventListener("mousedown", pressed, { capture: true });
      const look = () => {
        const there = document.querySelector(row)?.textContent.includes("样本");
        if (!there) requestAnimationFrame(look);
        else {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => {
            const answer = performance.getEntriesByType("resource").filter(({ name }) => /\/resources\/.*list-\d/.test(name))[0];
            const now = performance.now();
            resolve({ usable: now - answer.responseEnd, whole: now - timeStamp });
          };
          requestAnimationFrame(() => channel.port2.postMessage(null));
        }
      };
      requestAnimationFrame(look);
    }, { capture: true });
  });
};

const open = (site, browser, size) =>
  site.in(browser, "/", async (page, session) => {
    await page.evaluate(watch, site.row);
    const before = await taskSeconds(session);
    await site.entry(page, `list-${size}`).dblclick();
    const times = await page.evaluate(() => window.opened);
    return { ...times, cpu: ((await taskSeconds(session)) - before) * 1000 };
  });

export async function run({ browser, sites, rounds }) {
  const seen = new Map(sites.map((site) => [site, SIZES.map(() => [])]));
  for (let round = 0; round < rounds; round += 1) {
    for (const site of sites) {
      for (const [index, size] of SIZES.entries()) seen.get(site)[index].push(await open(site, browser, size));
    }
  }
  return sites.map((site) => [
    site.name,
    ...seen.get(site).flatMap((runs) => ["usable", "whole", "cpu"].map((field) => median(runs.map((one) => one[field])))),
  ]);
}
