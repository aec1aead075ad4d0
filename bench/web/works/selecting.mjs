import { median } from "../../disk/load.mjs";
import { medians, scroll } from "./scrolling.mjs";

export const title = "全选 100 000 项（Ctrl+A）";
export const data = ["pages"];
export const goal = "< 100 毫秒；全选之后滚动仍是 60 帧/秒";
export const note = "从按键到所有看得见的行画成选中；“可操作”是紧接着按的 Delete 问出了是否删除。其余是全选之后的滚动，同上。最多等 60 秒。";
export const columns = ["选中（毫秒）", "可操作（毫秒）", "帧", "丢帧", "缺脚本", "帧间隔 p95（毫秒）", "CPU（毫秒/帧）", "最长任务（毫秒）"];

const PATIENCE = 60_000;

const watch = ({ row, question }) => {
  window.selected = new Promise((resolve) => {
    addEventListener("keydown", ({ timeStamp }) => {
      let shown;
      const look = () => {
        const rows = [...document.querySelectorAll(row)];
        if (shown === undefined && rows.every((one) => one.getAttribute("aria-selected") === "true"))
          shown = performance.now() - timeStamp;
        if (shown !== undefined && document.querySelector(question)) resolve({ shown, ready: performance.now() - timeStamp });
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, { capture: true, once: true });
  });
};

/** Nothing when it does not come to an end. */
const selectAll = (site, browser) =>
  site.in(browser, "/list-100000/", async (page, session) => {
    await page.evaluate(watch, { row: site.row, question: site.question });
    // A page that hangs also holds the key's own answer back.
    const done = page.keyboard.press("Control+a").then(() => page.keyboard.press("Delete")).then(() => page.evaluate(() => window.selected));
    const times = await Promise.race([done.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
    if (!times) return undefined;
    await page.keyboard.press("Escape");
    await page.waitForSelector(site.question, { state: "hidden" });
    return { times, frames: await scroll(page, session) };
  });

export async function run({ browser, sites, rounds }) {
  const rows = [];
  for (const site of sites) {
    const runs = [];
    do runs.push(await selectAll(site, browser));
    while (runs.at(-1) && runs.length < rounds);
    if (!runs.at(-1)) rows.push([site.name, "> 60 000"]);
    else {
      const times = ["shown", "ready"].map((field) => median(runs.map((one) => one.times[field])));
      rows.push([site.name, ...times, ...medians(runs.map((one) => one.frames))]);
    }
  }
  return rows;
}
