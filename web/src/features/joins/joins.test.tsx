import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, publicSettings, serve } from "@/test-server";
import JoinPage from "./JoinPage";
import { manualSteps } from "./manual";
import { join, newJoin, report } from "./mock";

const none = { items: [], total: 0 };

function start(others: Parameters<typeof serve>[0] = {}, at = "") {
  const server = serve({
    "GET /api/settings/public": () => json(publicSettings),
    "GET /api/joins": () => json(none),
    ...others,
  });
  return { server, ...renderPage(JoinPage, { at: `/servers/server_join${at}` }) };
}

const step = (title: string) => {
  const found = screen.getAllByRole("listitem").find((item) => within(item).queryByText(title));
  if (!found) throw new Error(title);
  return within(found);
};

describe("添加服务器", () => {
  it("makes the line to paste and shows how far it is", async () => {
    const { server, user } = start({
      "POST /api/joins": () => json(newJoin, 201),
      "GET /api/joins/j1": () => json(join()),
    });
    await user.type(await screen.findByRole("textbox", { name: /^名称/ }), "gpu-a02");
    await user.type(screen.getByRole("textbox", { name: /^服务器地址/ }), "10.0.0.7");
    await user.click(screen.getByRole("button", { name: "生成命令" }));
    expect(await screen.findByText(newJoin.command)).toBeTruthy();
    expect(screen.getByText(/平台没有使用 HTTPS/)).toBeTruthy();
    expect(await screen.findByText("等待运行")).toBeTruthy();
    const sent = JSON.parse(server.calls.find(({ key }) => key === "POST /api/joins")?.body ?? "{}");
    expect(sent).toEqual({
      name: "gpu-a02",
      host: "10.0.0.7",
      port: 2376,
      storagePath: "",
      storageSource: "",
      portal: window.location.origin,
    });
  });

  it("shows a line no more that can't be used", async () => {
    const { user } = start({
      "POST /api/joins": () => json(newJoin, 201),
      "GET /api/joins/j1": () => json(join({ state: "withdrawn", open: false })),
    });
    await user.type(await screen.findByRole("textbox", { name: /^名称/ }), "gpu-a02");
    await user.type(screen.getByRole("textbox", { name: /^服务器地址/ }), "10.0.0.7");
    await user.click(screen.getByRole("button", { name: "生成命令" }));
    expect(await screen.findByText("已作废")).toBeTruthy();
    expect(screen.queryByText(newJoin.command)).toBeNull();
  });

  it("begins with the disk of the last one and the address in the settings", async () => {
    start({
      "GET /api/settings/public": () => json({ ...publicSettings, internalBaseUrl: "http://10.0.0.1:18100" }),
      "GET /api/joins": () =>
        json({ items: [join({ storagePath: "/mnt/yunlab", storageSource: "nas:/srv" })], total: 1 }),
    });
    expect(await screen.findByRole("textbox", { name: /^网盘路径/ })).toHaveProperty("value", "/mnt/yunlab");
    expect(screen.getByRole("textbox", { name: /^NFS 共享/ })).toHaveProperty("value", "nas:/srv");
    expect(screen.getByRole("textbox", { name: /^平台地址/ })).toHaveProperty(
      "value",
      "http://10.0.0.1:18100",
    );
  });

  it("says a refusal at its field", async () => {
    const refusal = {
      code: "invalid",
      message: "地址有误",
      fields: [{ name: "host", message: "不能是本机（localhost）" }],
      request_id: "r",
    };
    const { user } = start({ "POST /api/joins": () => json(refusal, 422) });
    await user.type(await screen.findByRole("textbox", { name: /^名称/ }), "a");
    await user.type(screen.getByRole("textbox", { name: /^服务器地址/ }), "localhost");
    await user.click(screen.getByRole("button", { name: "生成命令" }));
    expect(await screen.findByText("不能是本机（localhost）")).toBeTruthy();
  });

  it("shows what failed and what to do about it", async () => {
    const failed = join({
      state: "failed",
      begun: "2026-11-26T12:01:00.000Z",
      steps: [report("begin", "passed", "gpu02，Debian"), report("docker", "failed", "软件源里没有 Docker")],
    });
    start({ "GET /api/joins/j1": () => json(failed) }, "?join=j1");
    expect(await screen.findByText("软件源里没有 Docker")).toBeTruthy();
    expect(step("安装 Docker").getByText(/再运行一次同一条命令/)).toBeTruthy();
    expect(step("挂载网盘").getByText("等待")).toBeTruthy();
    expect(screen.getByRole("button", { name: "作废" })).toBeTruthy();
  });

  it("leads on when it is done", async () => {
    const done = join({
      state: "done",
      open: false,
      server: "s9",
      steps: [report("check", "passed", "9 项通过")],
    });
    start({ "GET /api/joins/j1": () => json(done) }, "?join=j1");
    const link = await screen.findByRole("link", { name: "查看服务器" });
    expect(link.getAttribute("href")).toContain("/servers/server_detail/s9");
  });

  it("takes a command back after asking", async () => {
    const { server, user } = start(
      {
        "GET /api/joins/j1": () => json(join()),
        "DELETE /api/joins/j1": () => new Response(null, { status: 204 }),
      },
      "?join=j1",
    );
    await user.click(await screen.findByRole("button", { name: "作废" }));
    const asked = within(await screen.findByRole("dialog"));
    await user.click(asked.getByRole("button", { name: "作废" }));
    expect(await screen.findByText("已作废")).toBeTruthy();
    expect(server.count("DELETE /api/joins/j1")).toBe(1);
  });

  it("begins anew when the token has expired", async () => {
    const { user } = start({ "GET /api/joins/j1": () => json(join({ open: false })) }, "?join=j1");
    expect(await screen.findByText("已过期")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "重新生成命令" }));
    expect(await screen.findByRole("button", { name: "生成命令" })).toBeTruthy();
  });

  it("says what did not come and tries again", async () => {
    let down = true;
    const { user } = start(
      { "GET /api/joins/j1": () => (down ? problem(500, "internal", "数据库没有回应") : json(join())) },
      "?join=j1",
    );
    expect(await screen.findByText("进度没有取到")).toBeTruthy();
    down = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("等待运行")).toBeTruthy();
  });

  it("describes the same by hand for the address that is typed", async () => {
    const { user } = start({}, "?way=manual");
    await user.type(screen.getByRole("textbox", { name: "服务器地址" }), "10.0.0.7");
    expect(screen.getByText(/subjectAltName=IP:10\.0\.0\.7/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "做好了，填写地址和证书" })).toBeTruthy();
  });
});

describe("the commands by hand", () => {
  const text = (host: string) => JSON.stringify(manualSteps(host));

  it("name a host by DNS and an address by IP", () => {
    expect(text("gpu02.lab")).toContain("subjectAltName=DNS:gpu02.lab");
    expect(text("fd00::7")).toContain("subjectAltName=IP:fd00::7");
    expect(text("fd00::7")).toContain("tcp://[fd00::7]:2376");
  });

  /** tests/tests/it/joins/by_hand.rs runs them, on the machine with this address. */
  it("are those that are run by a test", async () => {
    const shown = manualSteps("172.28.3.1").map(({ title, commands }) => ({ title, commands }));
    await expect(`${JSON.stringify(shown, null, 2)}\n`).toMatchFileSnapshot("manual-commands.snap");
  });

  it("take nothing that a shell would read otherwise", () => {
    expect(text("x; rm -rf /")).not.toContain("rm -rf");
    expect(text("")).toContain("tcp://服务器地址:2376");
  });
});
