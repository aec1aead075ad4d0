import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { AdminFigures } from "@/shared/api/dashboard";
import type { Gpu, ServerView } from "@/shared/compute/api";
import { renderPage } from "@/shared/list/render-page";
import { json, noWorksheets, serve } from "@/test-server";
import { AdminStrip } from "./AdminStrip";
import { freeByModel } from "./FreeCards";
import { PortalPeople } from "./PortalPeople";
import { ServerHealth } from "./ServerHealth";
import { byNeed, troublesOf, warmthOf } from "./server-health";

const GB = 1024 ** 3;

function card(id: string, change: Partial<Gpu> = {}): Gpu {
  return {
    id,
    server: "s",
    index: Number(id.at(-1)),
    uuid: id,
    model: "NVIDIA GeForce RTX 4090",
    memoryTotal: 24 * GB,
    kind: "nvidia",
    allowed: true,
    excluded: false,
    external: "",
    fault: "",
    processes: [],
    state: "free",
    ...change,
  };
}

function server(name: string, change: Partial<ServerView> = {}): ServerView {
  return {
    id: name,
    name,
    publicHost: name,
    local: false,
    state: "online",
    schedulable: true,
    maintenanceNote: "",
    runningInstances: 2,
    gpus: [],
    usage: {
      time: "2026-11-22T00:00:00Z",
      memory: 64 * GB,
      cpu: 1_600_000,
      disk: { total: 100 * GB, used: 93 * GB },
    },
    facts: { cpuTotal: 3_200_000, memoryTotal: 128 * GB } as ServerView["facts"],
    ...change,
  };
}

const held = { instance: "ins_a", mine: false, since: "2026-11-22T00:00:00Z", username: "chenyu" };
const roomy = { usage: null };

const usage = { data: undefined, fault: undefined };
const Strip = () => <AdminStrip usage={usage} />;

const figures: AdminFigures = {
  users: { total: 32, active: 31, admins: 2 },
  groups: 6,
  sessions: 40,
  failedLogins24h: 19,
  recentFailures: [],
  recentLogins: [],
};
const People = () => <PortalPeople figures={figures} />;

describe("free cards", () => {
  it("are counted by model over all servers, the most free ones first", () => {
    const a100 = { model: "NVIDIA A100-SXM4-80GB", memoryTotal: 80 * GB };
    const servers = [
      server("a", { gpus: [card("a0"), card("a1", { lease: held, state: "allocated" })] }),
      server("b", { gpus: [card("b0", a100), card("b1", a100)] }),
      server("c", { gpus: [card("c0")], state: "unreachable" }),
    ];
    expect(freeByModel(servers).map(({ name, free, total }) => `${name} ${free}/${total}`)).toEqual([
      "A100 80G 2/2",
      "RTX 4090 24G 1/3",
    ]);
  });
});

describe("the health of servers", () => {
  it("names faulty cards, a full disk and failed checks", () => {
    const faulty = server("a", { gpus: [card("a3", { state: "faulty", fault: "Xid 79" })] });
    expect(troublesOf(faulty)).toEqual(["卡 3 故障", "磁盘将满"]);
    expect(troublesOf(server("b", roomy))).toEqual([]);
    // Its last report is out of date.
    expect(troublesOf(server("c", { state: "unreachable" }))).toEqual([]);
  });

  it("puts what needs attention first", () => {
    const servers = [
      server("a", roomy),
      server("b"),
      server("c", { state: "unreachable" }),
      server("d", roomy),
    ];
    expect(servers.toSorted(byNeed).map(({ name }) => name)).toEqual(["c", "b", "a", "d"]);
  });

  it("has the temperatures from the coldest card to the hottest", () => {
    const sample = (temperature: number) => ({ time: "2026-11-22T00:00:00Z", temperature });
    const gpus = [card("a0", { sample: sample(62) }), card("a1", { sample: sample(78) })];
    expect(warmthOf(server("a", { gpus }))).toBe("62–78 °C");
    expect(warmthOf(server("a", { gpus, state: "unreachable" }))).toBe("");
  });

  it("is a table with a bar for each share, and nothing claimed of a silent machine", async () => {
    serve({
      "GET /api/servers": () =>
        json({ items: [server("a"), server("b", { state: "unreachable" })], total: 2 }),
    });
    renderPage(ServerHealth, { at: "/dashboard" });
    const table = await screen.findByRole("table", { name: "服务器健康" });
    const [, silent, full] = within(table).getAllByRole("row");
    expect(within(silent as HTMLElement).getAllByText("未知")).toHaveLength(3);
    expect(within(full as HTMLElement).getByRole("meter", { name: "a 的磁盘" })).toBeTruthy();
    expect(within(full as HTMLElement).getByText("93%")).toBeTruthy();
    expect(within(full as HTMLElement).getByText("磁盘将满")).toBeTruthy();
  });
});

describe("the strip of five", () => {
  it("links with its filters, and says how long the oldest order waits", async () => {
    const order = { id: "w1", Created: new Date(Date.now() - 24 * 3_600_000).toISOString() };
    serve({
      "GET /api/servers": () =>
        json({
          items: [server("a", { gpus: [card("a0")] }), server("b", { state: "unreachable" })],
          total: 2,
        }),
      "GET /api/instances": () => json({ items: [], total: 3 }),
      "GET /api/worksheets": () => json({ ...noWorksheets, Worksheets: [order], total: 5 }),
    });
    renderPage(Strip, { at: "/dashboard" });
    expect(await screen.findByRole("link", { name: "失联 1" })).toHaveProperty(
      "pathname",
      "/servers/server_manage",
    );
    const target = (name: string | RegExp) => screen.getByRole("link", { name }).getAttribute("href");
    expect(target("失联 1")).toBe("/servers/server_manage?state=unreachable");
    expect(target("空闲 1")).toBe("/servers/server_list?free=true");
    expect(target(/^运行实例/)).toBe("/servers/instance_manage?state=running");
    expect(await screen.findByRole("link", { name: "异常 3" })).toHaveProperty("search", "?state=error");
    expect(await screen.findByRole("link", { name: "最早一个已等 24 小时" })).toHaveProperty(
      "search",
      "?one=w1",
    );
    expect(target(/^待办工单/)).toBe("/profile/worksheet?state=open");
    expect(target(/^网盘存储/)).toBe("/netdisk/files/");
  });
});

describe("people and sign-ins", () => {
  it("lead to the log with the failures of the day", () => {
    serve();
    renderPage(People, { at: "/dashboard" });
    const search = new URLSearchParams(
      screen
        .getByRole("link", { name: /^登录失败/ })
        .getAttribute("href")
        ?.split("?")[1],
    );
    expect(search.get("result")).toBe("failure");
    const from = Date.parse(search.get("from") ?? "");
    expect(Math.abs(Date.now() - 24 * 3_600_000 - from)).toBeLessThan(60_000);
  });
});
