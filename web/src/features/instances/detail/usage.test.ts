import { describe, expect, it } from "vitest";
import { lineOf } from "@/shared/chart/series";
import { CPU_PERIOD, GB } from "@/shared/quotas/quotas";
import { chartsOf } from "./Usage";

const at = (second: number) => new Date(Date.UTC(2026, 10, 22, 0, 0, second)).toISOString();

describe("an instance's charts", () => {
  it("say of what CPU and memory are a part, and reach higher where more was used", () => {
    const items = [
      { time: at(0), cpu: 1.5, memory: 2 * GB, memoryLimit: 8 * GB, received: 1024, sent: 0, pids: 4 },
      { time: at(5), cpu: 2.5, memory: 3 * GB, memoryLimit: 8 * GB, received: 2048, sent: 0, pids: 5 },
    ];
    const charts = chartsOf({ items, span: 5 }, 2 * CPU_PERIOD);
    expect(charts.map(({ title, of, max }) => ({ title, of, max }))).toEqual([
      { title: "CPU", of: "2 核", max: 2.5 },
      { title: "内存", of: "8 GB", max: 8 * GB },
      { title: "网络", of: undefined, max: undefined },
      { title: "进程和线程", of: undefined, max: undefined },
    ]);
    expect(charts[2]?.format(2048)).toBe("2.00 KB/s");
  });

  it("leave out what was not measured", () => {
    const charts = chartsOf({ items: [{ time: at(0), memory: GB }], span: 5 }, CPU_PERIOD);
    expect(charts.map(({ title }) => title)).toEqual(["内存"]);
    expect(chartsOf({ items: [], span: 5 }, CPU_PERIOD)).toEqual([]);
  });

  it("break where nothing was measured", () => {
    const items = [0, 5, 60].map((second) => ({ time: at(second) }));
    const { points } = lineOf("CPU", items, 5, () => 1);
    expect(points.map(([, value]) => value)).toEqual([1, 1, null, 1]);
  });
});
