export const title = "打开又离开 50 个文件夹之后的内存";
export const data = ["folders"];
export const goal = "不增长";
export const note =
  "每个文件夹 100 项，双击打开再后退；在收集垃圾之后数。第二遍与第一遍之差是泄漏，第一遍与开始之差还包括保留下来供再次打开时立即显示的列表。";
const STAGES = ["开始", "第一遍后", "第二遍后"];
export const columns = ["堆（MiB）", "节点", "监听器"].flatMap((what) => STAGES.map((stage) => `${what}，${stage}`));

const FOLDERS = 50;

async function count(session) {
  // Twice: what a finalizer lets go of is free only the next time.
  for (let time = 0; time < 2; time += 1) await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
  return [usedSize / 2 ** 20, nodes, jsEventListeners];
}

async function visit(site, page, folder) {
  await site.entry(page, folder).dblclick();
  await site.entry(page, /样本/).waitFor();
  await page.goBack();
  await site.entry(page, /folder-/).waitFor();
}

export async function run({ browser, sites }) {
  const rows = [];
  for (const site of sites) {
    const stages = await site.in(browser, "/folders/", async (page, session) => {
      // High enough to have all folders in sight.
      await page.setViewportSize({ width: 1440, height: 2400 });
      await session.send("HeapProfiler.enable");
      await visit(site, page, "folder-0");
      const counts = [await count(session)];
      for (let round = 0; round < 2; round += 1) {
        for (let n = 0; n < FOLDERS; n += 1) await visit(site, page, `folder-${n}`);
        counts.push(await count(session));
      }
      return counts;
    });
    rows.push([site.name, ...[0, 1, 2].flatMap((what) => stages.map((stage) => (what === 0 ? stage[what].toFixed(1) : String(stage[what]))))]);
  }
  return rows;
}
