import { median } from "../../disk/load.mjs";
import { framesOf, traced } from "../trace.mjs";

export const title = "滚动 100 000 项的文件夹";
export const data = ["pages"];
export const goal = "60 帧/秒：帧间隔 p95 < 17 毫秒";
export const note =
  "浏览器自己的滚动手势，每秒 3 000 像素，5 秒；来自它的 tracing。“缺脚本”是按时画出、但脚本还没有跟上的帧；CPU 是网页主线程每 1/60 秒的平均时间。任务按 CPU 时间计。";
export const columns = ["帧", "丢帧", "缺脚本", "帧间隔 p95（毫秒）", "CPU（毫秒/帧）", "最长任务（毫秒）"];

const SPEED = 3_000;
const SECONDS = 5;

/** Scrolls what is under the middle of the page, and says what that did to the frames. */
export async function scroll(page, session) {
  const { width, height } = page.viewportSize();
  const events = await traced(session, () =>
    session.send("Input.synthesizeScrollGesture", {
      x: width / 2,
      y: height / 2,
      yDistance: -SPEED * SECONDS,
      speed: SPEED,
      gestureSourceType: "mouse",
      preventFling: true,
    }),
  );
  return framesOf(events, SECONDS);
}

const FIELDS = ["frames", "dropped", "late", "interval", "script", "longest"];

export const medians = (runs) => FIELDS.map((field) => median(runs.map((one) => one[field])));

export async function run({ browser, sites, rounds }) {
  const seen = new Map(sites.map((site) => [site, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const site of sites) seen.get(site).push(await site.in(browser, "/list-100000/", scroll));
  }
  return sites.map((site) => [site.name, ...medians(seen.get(site))]);
}
