import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Gpu, ServerView } from "@/shared/compute/api";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
import { GpusDrawer } from "./GpusDrawer";

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
  excluded: true,
  fault: "风扇异响",
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

describe("the cards of a server", () => {
  it("lets one that is faulty and kept out of use be used again", async () => {
    const served = serve({ "PUT /api/gpus/g1": () => json({ ...gpu, excluded: false }) });
    const { user } = renderPage(() => <GpusDrawer open server={server} onClose={() => undefined} />, {
      at: "/servers/server_detail/s1",
    });
    expect(await screen.findByText("管理员已停用这张卡")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "卡 3 的更多操作" }));
    await user.click(await screen.findByRole("menuitem", { name: "恢复使用" }));
    expect(await screen.findByText("卡 3 不再停用，故障还在")).toBeTruthy();
    const call = served.calls.find(({ key }) => key === "PUT /api/gpus/g1");
    expect(JSON.parse(call?.body ?? "null")).toEqual({ excluded: false });
  });
});
