import { describe, expect, it } from "vitest";
import type { Quotas } from "@/shared/api/dashboard";
import type { Gpu, ServerView } from "@/shared/compute/api";
import { CPU_PERIOD, GB } from "@/shared/quotas/quotas";
import {
  closedText,
  countChoices,
  type Draft,
  firstDraft,
  lostCards,
  lostText,
  sizeOf,
  toCheck,
  toForm,
  whatIsMissing,
} from "./draft";
import { imageTitle } from "./suggested-name";

const quotas: Quotas = {
  instances: { used: 1, limit: 5, base: 5, offset: 0 },
  gpus: { used: 0, limit: 2 },
  cpu: { used: 0, limit: 10 * CPU_PERIOD },
  memory: { used: 0, limit: 0 },
  disk: { limit: 0 },
};

const card = (index: number, state: Gpu["state"] = "free"): Gpu => ({
  id: `card-${index}`,
  server: "a",
  uuid: `uuid-${index}`,
  index,
  kind: "nvidia",
  model: "A800",
  memoryTotal: 80 * GB,
  state,
  allowed: true,
  excluded: state === "excluded",
  fault: state === "faulty" ? "Xid 79" : "",
  external: "",
  processes: [],
});

const server: ServerView = {
  id: "a",
  name: "gpu-a01",
  publicHost: "gpu-a01.lab.cn",
  state: "online",
  schedulable: true,
  maintenanceNote: "",
  local: false,
  gpus: [card(0), card(1), card(2), card(3, "faulty")],
  runningInstances: 0,
  cpuAvailable: 64 * CPU_PERIOD,
  memoryAvailable: 256 * GB,
};

const start = { servers: [server], quotas, image: "lab/pytorch:2", server: null, gpu: null };

describe("what an instance starts from", () => {
  it("is one free card of a server that is open, and the image used last", () => {
    const closed = { ...server, id: "b", schedulable: false };
    const draft = firstDraft({ ...start, servers: [closed, server] });
    expect(draft).toMatchObject({ server: "a", count: 1, cards: null, image: "lab/pytorch:2" });
  });

  it("is the card that the address asks for, while it is free", () => {
    expect(firstDraft({ ...start, gpu: "card-2" }).cards).toEqual(["card-2"]);
    expect(firstDraft({ ...start, gpu: "card-3" }).cards).toBeNull();
  });

  it("takes no card where the quota has none left", () => {
    const none = { ...quotas, gpus: { used: 2, limit: 2 } };
    expect(firstDraft({ ...start, quotas: none }).count).toBe(0);
  });
});

describe("what may be chosen", () => {
  it("gives a reason for every closed count, each reason once", () => {
    const small = { ...quotas, gpus: { used: 1, limit: 2 } };
    expect(closedText(countChoices(server, small))).toBe("配额还可用 1 张，2 张、4 张不可选");
    const large = { ...quotas, gpus: { used: 0, limit: 8 } };
    expect(closedText(countChoices(server, large))).toBe("gpu-a01 空闲 3 张，4 张不可选");
  });

  it("is as much of the machine as of its cards, and no more than the quota leaves", () => {
    const draft = firstDraft(start);
    expect(sizeOf(draft, server, quotas)).toEqual({ cores: 10, memoryGb: 64 });
    expect(sizeOf({ ...draft, cores: 4 }, server, quotas).cores).toBe(4);
    const small = { ...quotas, memory: { used: 0, limit: 8 * GB } };
    expect(sizeOf(draft, server, small).memoryGb).toBe(8);
  });

  it("notices that a chosen card was taken meanwhile", () => {
    const draft = { ...firstDraft(start), cards: ["card-0"] };
    const lease = {
      instance: "ins_ann_GPUaaaaa",
      username: "ann",
      mine: false,
      since: "2026-11-22T00:00:00Z",
    };
    const taken: ServerView = { ...server, gpus: [{ ...card(0, "allocated"), lease }, card(1)] };
    expect(lostCards(draft, taken)).toHaveLength(1);
    expect(lostText(lostCards(draft, taken), taken)).toContain("卡 0 刚被占用（ann · ins_ann_GPUaaaaa）");
  });

  it("says what is missing, and asks the server about the rest", () => {
    const draft = firstDraft(start);
    expect(whatIsMissing(draft, undefined)).toBe("请选择服务器");
    expect(whatIsMissing({ ...draft, image: " " }, server)).toBe("请选择镜像");
    expect(whatIsMissing(draft, { ...server, state: "unreachable" })).toContain("失联");
    expect(whatIsMissing(draft, server)).toBeUndefined();
    expect(toCheck({ ...draft, image: " " }, server, quotas)).toBe("");
    expect(toCheck(draft, server, quotas)).toBe(toCheck({ ...draft }, server, quotas));
    expect(JSON.parse(toCheck(draft, server, quotas))).not.toHaveProperty("stopAt");
  });
});

it("what is sent has the engine's units and one word a line", () => {
  const draft = {
    ...firstDraft({ ...start, dataset: "cifar@v2" }),
    command: "sleep\n\n 3600 \n",
    env: [{ key: 1, name: "A", value: "1" }],
  };
  expect(toForm(draft, server, quotas, new Date("2026-11-22T00:00:00Z"))).toEqual({
    server: "a",
    image: "lab/pytorch:2",
    gpuCount: 1,
    cpuQuota: 10 * CPU_PERIOD,
    memory: 64 * GB,
    ports: [{ containerPort: 22, name: "ssh", protocol: "tcp" }],
    env: { A: "1" },
    command: ["sleep", "3600"],
    datasets: ["cifar@v2"],
    stopAt: "2026-11-23T00:00:00.000Z",
    note: expect.stringMatching(/^pytorch 2 · /),
  });
});

describe("an instance without a name of its own", () => {
  it.each([
    ["registry.lab:5000/lab/pytorch:2.9-cu128-py312", "pytorch 2.9"],
    ["lab/pytorch:latest", "pytorch"],
    ["ubuntu", "ubuntu"],
    ["lab/a:1@sha256:0123", "a 1"],
  ])("%s is %s", (image, title) => {
    expect(imageTitle(image)).toBe(title);
  });

  it("is named by its image and its cards, and by its name where there is one", () => {
    const draft = firstDraft(start);
    const named = (part: Partial<Draft>) => toForm({ ...draft, ...part }, server, quotas, new Date()).note;
    expect(named({ cards: null, count: 0 })).toBe("pytorch 2 · 不用卡");
    expect(named({ note: " 检测实验 " })).toBe("检测实验");
    expect(named({ image: `lab/${"x".repeat(200)}` })).toHaveLength(100);
  });
});
