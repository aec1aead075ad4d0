import { describe, expect, it } from "vitest";
import type { Session } from "@/shared/stores/session";
import type { Worksheet } from "@/shared/worksheets/api";
import { askedQuotas, figureName, granted, sentQuotas, withAsked } from "@/shared/worksheets/figures";
import { standingOf } from "@/shared/worksheets/standing";

const present = {
  instanceLimit: 3,
  instanceLimitOffset: 0,
  GPUNumlimit: 4,
  CPUPeriodQuota: 3_200_000,
  memoryLimit: 256 * 1024 ** 3,
  diskQuota: 0,
};

describe("figures", () => {
  it("what is left empty is not asked for, and 0 is", () => {
    const asked = sentQuotas({ instanceLimit: 5, GPUNumlimit: null, cores: 40.5, diskGb: 0 });
    expect(asked).toEqual({ instanceLimit: 5, CPUPeriodQuota: 4_050_000, diskQuota: 0 });
    expect(askedQuotas(asked)).toEqual({ instanceLimit: 5, cores: 40.5, diskGb: 0 });
  });

  it("approving sends what was asked for and what the administrator changed, nothing else", () => {
    const asked = { instanceLimit: 5 };
    const form = withAsked(present, asked);
    expect(granted(form, present, asked)).toEqual({ instanceLimit: 5 });
    expect(granted({ ...form, instanceLimit: 3, cores: 40 }, present, asked)).toEqual({
      instanceLimit: 3,
      CPUPeriodQuota: 4_000_000,
    });
  });

  it("faults of the server find their fields", () => {
    expect(figureName("quotas.memoryLimit")).toEqual(["quotas", "memoryGb"]);
    expect(figureName("cards.server")).toEqual(["cards", "server"]);
    expect(figureName("title")).toBe("title");
  });
});

describe("standing", () => {
  const me = (id: number, role: number): Session => ({
    token: null,
    exp: 0,
    id,
    username: "u",
    name: "",
    avatar: "",
    introduction: "",
    role,
    routerReset: false,
  });
  const order: Worksheet = {
    id: "w1",
    number: 1,
    type: "quota",
    title: "t",
    content: "c",
    attachments: [],
    state: "undo",
    priority: "normal",
    requester: { id: 7, username: "zhangmin", name: "" },
    handler: null,
    instance: null,
    quotas: { instanceLimit: 5 },
    cards: null,
    decision: null,
    news: 0,
    unread: false,
    Created: "2026-11-20T10:00:00.000Z",
    Updated: "2026-11-20T10:00:00.000Z",
  };

  it("administrators decide, requesters withdraw, leaders only talk", () => {
    const admin = standingOf(order, me(1, 1));
    expect([admin.decides, admin.steps[0]?.to, admin.cannotDelete]).toEqual([true, "doing", undefined]);
    const own = standingOf(order, me(7, 2));
    expect([own.decides, own.mayRewrite, own.cannotDelete]).toEqual([false, true, undefined]);
    const leader = standingOf(order, me(8, 2));
    expect([leader.steps.length, leader.mayRewrite, leader.cannotReply]).toEqual([0, false, undefined]);
    expect(leader.cannotDelete).toBeDefined();
  });

  it("requesters settle what is at work on, but grant no request", () => {
    const to = (one: Worksheet) => standingOf(one, me(7, 2)).steps.map((step) => step.to);
    const doing = { ...order, state: "doing" } as const;
    expect([to(order), to(doing)]).toEqual([["closed"], ["closed"]]);
    const fault = { ...order, type: "fault", quotas: null } as const;
    expect([to(fault), to({ ...fault, state: "doing" })]).toEqual([["closed"], ["done", "closed"]]);
    expect(to({ ...doing, decision: "approved" })).toEqual(["done", "closed"]);
    expect(standingOf(doing, me(1, 1)).steps.map((step) => step.to)).toContain("done");
  });

  it("what was decided on or closed is neither decided on nor rewritten again", () => {
    const approved = { ...order, state: "doing", decision: "approved" } as const;
    expect(standingOf(approved, me(1, 1)).decides).toBe(false);
    expect(standingOf(approved, me(7, 2)).mayRewrite).toBe(false);
    expect(standingOf({ ...order, state: "closed" }, me(7, 2)).cannotReply).toBe("工单已关闭");
  });
});
