import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Gpu, ServerView } from "@/shared/compute/api";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import { CardFaultActions } from "./CardFaultActions";

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
  external: "",
  processes: [],
};

const server: ServerView = {
  id: "s1",
  name: "gpu01",
  publicHost: "gpu01.lab",
  state: "online",
  schedulable: true,
  maintenanceNote: "",
  local: false,
  gpus: [gpu],
  runningInstances: 0,
};

const managed: ServerView = {
  ...server,
  manage: {
    endpoint: "unix:///run/docker.sock",
    tls: false,
    portRange: { from: 30000, to: 39999 },
    storagePath: "",
    enabled: true,
    reservedCpu: 0,
    reservedMemory: 0,
    misdirected: "",
    machineHelper: true,
    checks: [],
    created: "2026-11-20T08:00:00.000Z",
    externalContainers: [],
  },
};

const outage = {
  id: "o1",
  reason: "xid",
  detail: "Xid 79：显卡从总线上掉线",
  since: "2026-11-20T10:00:00.000Z",
  seenBy: "",
  ended: "2026-11-20T11:00:00.000Z",
  ending: "tested",
  endedBy: "admin",
  result: "连续读取 3 次都正常",
};

const xid = {
  code: 31,
  class: "application",
  meaning: "程序访问了无效的显存地址",
  times: 2,
  words: "pid=7, name=python",
  firstSeen: "2026-11-20T10:00:00.000Z",
  lastSeen: "2026-11-20T10:05:00.000Z",
};

const at = "/servers/server_detail/s1";
const ofAdmin = () => renderPage(() => <CardFaultActions gpu={gpu} server={managed} />, { at });

describe("a faulty card", () => {
  it("is tried out, and the words of the run are shown either way", async () => {
    let passed = false;
    serve({
      "POST /api/gpus/g1/test": () => json({ passed, words: passed ? "连续读取 3 次都正常" : "需要重置" }),
    });
    const { user } = ofAdmin();
    await user.click(screen.getByRole("button", { name: "试运行卡 3" }));
    const dialog = await screen.findByRole("dialog", { name: /没有通过/ });
    expect(within(dialog).getByText("需要重置")).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "知道了" }));
    passed = true;
    await user.click(screen.getByRole("button", { name: "试运行卡 3" }));
    expect(await screen.findByText(/试运行通过，已恢复使用：连续读取 3 次都正常/)).toBeTruthy();
  });

  it("says why a run could not be made", async () => {
    serve({
      "POST /api/gpus/g1/test": () => problem(503, "server_unreachable", "试运行失败：服务器没有应答"),
    });
    const { user } = ofAdmin();
    await user.click(screen.getByRole("button", { name: "试运行卡 3" }));
    expect(await screen.findByText("试运行失败：服务器没有应答")).toBeTruthy();
  });

  it("has a history, each part of which fails or is empty by itself", async () => {
    serve({
      "GET /api/gpus/g1/outages": () => json({ items: [outage], total: 3 }),
      "GET /api/gpus/g1/xids": () => json({ items: [xid], total: 1 }),
    });
    const { user } = ofAdmin();
    await user.click(screen.getByRole("button", { name: "卡 3 的故障记录" }));
    const faults = await screen.findByRole("list", { name: "故障" });
    expect(within(faults).getByText("平台发现；admin 试运行通过：连续读取 3 次都正常")).toBeTruthy();
    expect(within(faults).getByText("更早的 2 条没有显示")).toBeTruthy();
    const xids = await screen.findByRole("list", { name: "内核日志里的 Xid" });
    expect(within(xids).getByText("程序出错")).toBeTruthy();
    expect(within(xids).getByText("Xid 31 · 2 次")).toBeTruthy();
  });

  it("shows that nothing happened, and what could not be fetched", async () => {
    serve({
      "GET /api/gpus/g1/outages": () => json({ items: [], total: 0 }),
      "GET /api/gpus/g1/xids": () => problem(500, "internal", "服务器出错"),
    });
    const { user } = ofAdmin();
    await user.click(screen.getByRole("button", { name: "卡 3 的故障记录" }));
    expect(await screen.findByText("没有出过故障")).toBeTruthy();
    expect(await screen.findByText("内核日志里的 Xid 没有取到")).toBeTruthy();
  });

  it("gives whoever has it a work order already written, and others nothing", async () => {
    const lease = { instance: "ins_ann_1", username: "ann", mine: true, since: "2026-11-20T09:00:00.000Z" };
    renderPage(() => <CardFaultActions gpu={{ ...gpu, lease }} server={server} />, { at, role: 0, me: 2 });
    const link = screen.getByRole("link", { name: "为卡 3 提工单" }).getAttribute("href") ?? "";
    expect(new URL(link, "http://lab").searchParams.get("title")).toBe("gpu01 卡 3 故障");
    expect(screen.queryByRole("button", { name: "试运行卡 3" })).toBeNull();
  });

  it("offers nothing to those who neither have it nor look after it", async () => {
    renderPage(() => <CardFaultActions gpu={gpu} server={server} />, { at, role: 0, me: 2 });
    await waitFor(() => expect(screen.queryByRole("link")).toBeNull());
  });
});
