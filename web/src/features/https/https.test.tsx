import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { canReach } from "@/shared/api/can-reach";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, publicSettings, serve } from "@/test-server";
import type { HttpsOverview } from "./api";
import HttpsPage from "./HttpsPage";
import { fieldsOf, formOf } from "./https-form";
import { likelyGuide } from "./install-steps";
import LabCaPage from "./LabCaPage";
import { acme, labCa, off, publicCa } from "./mock";
import { TrustState } from "./TrustState";
import { stateOf } from "./words";

vi.mock("@/shared/api/can-reach", () => ({ canReach: vi.fn() }));

function start(now: HttpsOverview, others: Parameters<typeof serve>[0] = {}) {
  const bodies: unknown[] = [];
  const server = serve({
    "GET /api/settings/https": () => json(now),
    "PUT /api/settings/https": async (request) => {
      bodies.push(await request.json());
      return json(now);
    },
    ...others,
  });
  return { server, bodies, ...renderPage(HttpsPage, { at: "/settings/https" }) };
}

describe("HTTPS", () => {
  it("says first that there is none, and what to add to the configuration", async () => {
    start(off);
    expect(await screen.findByText("没有 HTTPS")).toBeTruthy();
    expect(screen.getByText('https_listen = "0.0.0.0:443"')).toBeTruthy();
    expect(screen.queryByRole("button", { name: "立即申请" })).toBeNull();
  });

  it("shows the certificate, who issued it and when it is renewed", async () => {
    start(acme);
    expect(await screen.findByText("HTTPS 可用")).toBeTruthy();
    expect(screen.getByText("R11")).toBeTruthy();
    expect(screen.getByText(/还有 80 天/)).toBeTruthy();
    expect(screen.getByRole("button", { name: "立即续期" })).toBeTruthy();
  });

  it("shows why a try failed, and tries again at once", async () => {
    const error = "ACME 服务器连不上 http://lab.example.cn（80 端口）";
    const failed = { ...acme, certificate: null, tries: { ...acme.tries, failures: 2, error } };
    const { user, server } = start(failed, {
      "POST /api/settings/https/order": () =>
        json({ ...failed, tries: { ...acme.tries, running: true } }, 202),
    });
    expect(await screen.findByText(error)).toBeTruthy();
    expect(screen.getByText(/申请失败 2 次/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "立即重试" }));
    expect(await screen.findByText("已开始申请")).toBeTruthy();
    expect(server.count("POST /api/settings/https/order")).toBe(1);
  });

  it("sends what was chosen, and puts the server's fault to its field", async () => {
    let fault = true;
    const message = "lab：ACME 只能用于完整的域名";
    const bodies: unknown[] = [];
    const { user } = start(off, {
      "PUT /api/settings/https": async (request) => {
        bodies.push(await request.json());
        const fields = [{ name: "names", message }];
        return fault ? json({ code: "invalid", message, fields, request_id: "req-7" }, 422) : json(acme);
      },
    });
    await user.click(await screen.findByRole("radio", { name: /自动申请公开的证书/ }));
    const names = await screen.findByLabelText("域名");
    await user.clear(names);
    await user.type(names, "lab");
    await user.click(screen.getByRole("button", { name: "保存并申请证书" }));
    expect(await screen.findByText(message)).toBeTruthy();
    fault = false;
    await user.type(names, ".example.cn www.example.cn");
    await user.click(screen.getByRole("button", { name: "保存并申请证书" }));
    expect(await screen.findByText("设置已保存，开始申请证书")).toBeTruthy();
    expect(bodies[1]).toMatchObject({
      way: "acme",
      names: ["lab.example.cn", "www.example.cn"],
      redirect: false,
    });
  });

  it("checks the names and says what is wrong with each", async () => {
    const { user } = start(acme, {
      "POST /api/settings/https/check": () =>
        json({
          items: [
            {
              name: "lab.example.cn",
              findings: [
                { fine: true, words: "lab.example.cn 是 10.0.0.5" },
                { fine: false, words: "80 端口应答的不是本平台" },
              ],
            },
          ],
        }),
    });
    await user.click(await screen.findByRole("button", { name: "检查域名" }));
    const found = within(await screen.findByRole("region", { name: "lab.example.cn 的检查结果" }));
    expect(found.getByText("lab.example.cn 是 10.0.0.5")).toBeTruthy();
    expect(found.getByText("未通过")).toBeTruthy();
  });

  it("asks before it replaces the lab's CA", async () => {
    const bodies: unknown[] = [];
    const { user } = start(labCa, {
      "POST /api/settings/https/lab-ca": async (request) => {
        bodies.push(await request.json());
        return json(labCa);
      },
    });
    await user.click(await screen.findByRole("button", { name: "重新生成" }));
    const question = within(await screen.findByRole("dialog"));
    await user.click(question.getByRole("button", { name: "重新生成" }));
    expect(await screen.findByText("已生成新的 CA")).toBeTruthy();
    expect(bodies).toEqual([{ names: ["lab"], replace: true }]);
  });

  it("leaves files and proxies alone", async () => {
    start({ ...off, ownFiles: true });
    expect(await screen.findByText("由配置里的证书文件提供 HTTPS")).toBeTruthy();
    expect(screen.queryByText("证书从哪里来")).toBeNull();
    expect(stateOf({ ...off, behindProxy: true }).title).toBe("由反向代理提供 HTTPS");
  });

  it("says what did not come and tries again", async () => {
    let down = true;
    const { user } = start(off, {
      "GET /api/settings/https": () => (down ? problem(500, "internal", "数据库没有回应") : json(acme)),
    });
    expect(await screen.findByText("HTTPS 的状态没有取到")).toBeTruthy();
    down = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("HTTPS 可用")).toBeTruthy();
  });

  it("keeps a key that is not typed again", () => {
    const fields = fieldsOf({ ...acme, eabKeyId: "key-1", eabKeySet: true });
    expect(formOf(fields, true)).not.toHaveProperty("eabKey");
    expect(formOf({ ...fields, eabKey: "c2Vj" }, true)).toMatchObject({ eabKey: "c2Vj" });
    expect(formOf({ ...fields, names: "a.cn，b.cn\n\nc.cn" }, true).names).toEqual(["a.cn", "b.cn", "c.cn"]);
  });

  it.each([
    [{ tries: { ...acme.tries, running: true } }, "正在申请证书"],
    [{ tries: { ...acme.tries, running: true, held: true } }, "系统时间不可信，暂停申请证书"],
    [{ certificate: null }, "还没有证书"],
    [{ now: "2030-01-01T00:00:00.000Z" }, "证书已经过期"],
    [{ listening: null }, "证书已有，还没有用上"],
    [{ tries: { ...acme.tries, failures: 1, error: "…" } }, "证书可用，续期没有成功"],
  ])("%o", (part, title) => {
    expect(stateOf({ ...acme, ...part }).title).toBe(title);
  });
});

describe("安装实验室证书", () => {
  const reached = vi.mocked(canReach);
  afterEach(() => reached.mockReset());

  function open(others: Parameters<typeof serve>[0] = {}) {
    serve({
      "GET /api/lab-ca": () => json(publicCa),
      "GET /api/settings/public": () => json(publicSettings),
      ...others,
    });
    return renderPage(LabCaPage, { at: "/lab-ca" });
  }

  const overHttp = (origins: readonly string[]) =>
    renderPage(() => <TrustState origins={origins} secure={false} />, { at: "/lab-ca" });

  it("shows the fingerprint, and for each system what to download", async () => {
    const { user } = open();
    expect(await screen.findByText(publicCa.fingerprint)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /iPhone/ }));
    const link = await screen.findByRole("link", { name: /lab-ca\.mobileconfig/ });
    expect(link.getAttribute("href")).toBe("/api/lab-ca/certificate?format=mobileconfig");
  });

  it("says in words that this browser trusts it", async () => {
    reached.mockResolvedValue(true);
    overHttp(publicCa.origins);
    expect(await screen.findByText("这个浏览器已经信任实验室的证书")).toBeTruthy();
  });

  it("need not look where it came over https itself", async () => {
    renderPage(() => <TrustState origins={publicCa.origins} secure />, { at: "/lab-ca" });
    expect(await screen.findByText("这个页面已经是用 HTTPS 打开的")).toBeTruthy();
    expect(reached).not.toHaveBeenCalled();
  });

  it("looks again after it was installed", async () => {
    reached.mockResolvedValueOnce(false).mockResolvedValue(true);
    const { user } = overHttp(publicCa.origins);
    await user.click(await screen.findByRole("button", { name: "再检查一次" }));
    expect(await screen.findByText("这个浏览器已经信任实验室的证书")).toBeTruthy();
    expect(reached).toHaveBeenLastCalledWith(`${publicCa.origins[0]}/api/lab-ca`);
  });

  it("does not try an address that the page may not speak to", async () => {
    overHttp(["https://another"]);
    expect(await screen.findByText("证书里没有你现在用的地址")).toBeTruthy();
    expect(reached).not.toHaveBeenCalled();
  });

  it("says where there is no CA that none is needed", async () => {
    open({ "GET /api/lab-ca": () => problem(404, "not_found", "没有这个实验室的 CA") });
    await waitFor(() => expect(screen.getByText("这个实验室没有用自己的 CA")).toBeTruthy());
  });

  it.each([
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)", "ios"],
    ["Mozilla/5.0 (Linux; Android 15)", "android"],
    ["Mozilla/5.0 (Windows NT 10.0) Firefox/140", "windows"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/140", "macos"],
    ["Mozilla/5.0 (X11; Linux x86_64) Firefox/140", "firefox"],
    ["Mozilla/5.0 (X11; Linux x86_64) Chrome/140", "linux"],
    ["?", "windows"],
  ])("%s", (agent, guide) => {
    expect(likelyGuide(agent)).toBe(guide);
  });
});
