import { describe, expect, it } from "vitest";
import type { Gpu } from "./api";
import { faultOrderLink, faultyOf } from "./card-fault";
import { holderText, lookOf } from "./gpu-look";

const gpu: Gpu = {
  id: "g1",
  server: "s1",
  uuid: "GPU-aaaa",
  index: 3,
  kind: "nvidia",
  model: "NVIDIA A100",
  memoryTotal: 80 * 2 ** 30,
  state: "faulty",
  allowed: true,
  excluded: false,
  fault: "Xid 79：显卡从总线上掉线",
  outage: { reason: "xid", since: "2026-11-20T10:00:00.000Z" },
  lease: null,
  external: "",
  sample: null,
  processes: [],
  deviceNodes: null,
};

const server = {
  state: "online",
  schedulable: true,
  maintenanceNote: "",
  lastSeen: null,
  drain: null,
} as const;
const lease = { instance: "ins_ann_1", username: "ann", mine: true, since: "2026-11-20T09:00:00.000Z" };

describe("a faulty card", () => {
  it("is shown as faulty whoever has it", () => {
    const held = { ...gpu, lease };
    expect(lookOf(held, server)).toBe("faulty");
    expect(holderText(held, server)).toBe("故障：Xid 79：显卡从总线上掉线 · 我 · ins_ann_1");
    expect(holderText(gpu, server)).toBe("故障：Xid 79：显卡从总线上掉线");
    expect(lookOf({ ...held, state: "allocated" }, server)).toBe("mine");
    expect(faultyOf([gpu, { ...gpu, state: "free" }])).toEqual([gpu]);
  });

  it("has a work order that says everything that is known", () => {
    const link = faultOrderLink([gpu], { server: "gpu01", instance: { id: "i1", name: "ins_ann_1" } });
    const { pathname, searchParams } = new URL(link, "http://lab");
    expect(pathname).toBe("/profile/worksheet");
    const words = Object.fromEntries(searchParams);
    expect(words).toMatchObject({ panel: "new", ask: "fault", title: "gpu01 卡 3 故障", instance: "i1" });
    expect(searchParams.get("content")).toContain(
      "卡 3（NVIDIA A100，GPU-aaaa）：Xid 79：显卡从总线上掉线，发现于 ",
    );
    expect(searchParams.get("content")).toContain("实例：ins_ann_1");
    expect(
      new URL(faultOrderLink([gpu], { server: "gpu01" }), "http://lab").searchParams.has("instance"),
    ).toBe(false);
  });
});
