import { screen, waitFor, within } from "@testing-library/react";
import type { ComponentType } from "react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import AuthSettingsPage from "./AuthSettingsPage";
import { isPathOrAddress, isWebAddress } from "./address-rule";
import BasicSettingsPage from "./BasicSettingsPage";
import { mail, settings, webhook } from "./mock";
import RetentionSettingsPage from "./RetentionSettingsPage";
import SecuritySettingsPage from "./SecuritySettingsPage";

type Fault = { name: string; message: string } | null;

function start(
  page: ComponentType,
  at: string,
  fault: Fault = null,
  others: Parameters<typeof serve>[0] = {},
) {
  const bodies: unknown[] = [];
  serve({
    ...others,
    "GET /api/settings/registries": () => json({ items: [] }),
    "GET /api/settings/webhook": () => json(webhook),
    "GET /api/settings/mail": () => json(mail),
    "GET /api/settings": () => json(settings),
    "GET /api/groups": () => json({ items: [{ id: 5, name: "计算机视觉" }], total: 1 }),
    "PUT /api/settings": async (request) => {
      bodies.push(await request.json());
      const refused = { code: "invalid", message: "设置有误", fields: [fault], request_id: "req-4" };
      return fault ? json(refused, 422) : json(settings);
    },
  });
  return { bodies, ...renderPage(page, { at }) };
}

const save = () => screen.getByRole("button", { name: "保存" });

describe("基本设置", () => {
  it("S022 S061 S338 stores the whole part, in the units of the API", async () => {
    const { bodies, user } = start(BasicSettingsPage, "/settings/basic_setting");
    const disk = await screen.findByRole("spinbutton", { name: "网盘" });
    expect(disk).toHaveProperty("value", "500");
    expect(save()).toHaveProperty("disabled", true);
    await user.clear(disk);
    await user.type(disk, "1.5");
    await user.click(save());
    expect(await screen.findByText("设置已保存")).toBeTruthy();
    const { defaultQuotas } = settings.basic;
    expect(bodies).toEqual([
      {
        basic: { ...settings.basic, defaultQuotas: { ...defaultQuotas, diskQuota: 1.5 * 1024 ** 3 } },
        network: settings.network,
        space: settings.space,
      },
    ]);
  });

  it("stores what happens when the room is used up, with the size in GB", async () => {
    const { bodies, user } = start(BasicSettingsPage, "/settings/basic_setting");
    const limit = await screen.findByRole("spinbutton", { name: "系统盘上限" });
    await user.clear(limit);
    await user.type(limit, "100");
    await user.click(screen.getByRole("switch", { name: "冻结写满的实例" }));
    await user.click(save());
    expect(await screen.findByText("设置已保存")).toBeTruthy();
    const space = { ...settings.space, freeze: false, rootLimit: 100 * 1024 ** 3 };
    expect(bodies).toEqual([{ basic: settings.basic, network: settings.network, space }]);
  });

  it("stores the instances' network, with the open ports as numbers", async () => {
    const { bodies, user } = start(BasicSettingsPage, "/settings/basic_setting");
    const open = await screen.findByRole("textbox", { name: "开放的服务器端口" });
    await user.type(open, "7890，70000");
    await user.click(save());
    expect(await screen.findByText("请填写 1 到 65535 之间的端口，用逗号隔开")).toBeTruthy();
    expect(bodies).toEqual([]);
    await user.clear(open);
    await user.type(open, "7890， 3128");
    await user.click(screen.getByRole("switch", { name: "禁止提升权限" }));
    await user.click(save());
    expect(await screen.findByText("设置已保存")).toBeTruthy();
    expect(bodies).toEqual([
      {
        basic: settings.basic,
        network: { ...settings.network, openPorts: [7890, 3128], noNewPrivileges: true },
        space: settings.space,
      },
    ]);
  });

  it("puts the server's fault to the network's field", async () => {
    const fault = { name: "network.subnets", message: "应为私有地址的网段" };
    const { user } = start(BasicSettingsPage, "/settings/basic_setting", fault);
    await user.type(await screen.findByRole("textbox", { name: "网段" }), "x");
    await user.click(save());
    expect(await screen.findByText(fault.message)).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "网段" }));
  });

  it("puts the server's fault to its field, by the field's name in the form", async () => {
    const fault = { name: "basic.defaultQuotas.CPUPeriodQuota", message: "应在 0 到 1000000000 之间" };
    const { user } = start(BasicSettingsPage, "/settings/basic_setting", fault);
    await user.type(await screen.findByRole("textbox", { name: "致谢文字" }), "开源项目");
    await user.click(save());
    expect(await screen.findByText(fault.message)).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByRole("spinbutton", { name: "CPU" }));
    expect(screen.getByText("1 处需要修改")).toBeTruthy();
  });

  it("asks before unsaved changes are left behind", async () => {
    const { user, router } = start(BasicSettingsPage, "/settings/basic_setting");
    await user.type(await screen.findByRole("textbox", { name: "致谢文字" }), "x");
    void router.navigate("/dashboard");
    await user.click(await screen.findByRole("button", { name: "留在这里" }));
    expect(router.state.location.pathname).toBe("/settings/basic_setting");
    void router.navigate("/dashboard");
    await user.click(await screen.findByRole("button", { name: "放弃" }));
    expect(await screen.findByRole("heading", { name: "另一页" })).toBeTruthy();
  });

  it("shows the server's words when the settings cannot be fetched", async () => {
    serve({
      "GET /api/settings": () => problem(503, "unavailable", "数据库没有应答"),
      "GET /api/settings/registries": () => json({ items: [] }),
      "GET /api/settings/webhook": () => json(webhook),
      "GET /api/settings/mail": () => json(mail),
    });
    renderPage(BasicSettingsPage, { at: "/settings/basic_setting" });
    expect(await screen.findByText("数据库没有应答")).toBeTruthy();
    expect(screen.getByRole("button", { name: "重试" })).toBeTruthy();
  });

  it("knows addresses from paths", () => {
    expect(["", "https://a.cn", "http://10.0.0.1:8080/x"].every(isWebAddress)).toBe(true);
    expect(["/disk", "ftp://a", "http://", "a.cn"].some(isWebAddress)).toBe(false);
    expect(isPathOrAddress("/disk")).toBe(true);
    expect(isPathOrAddress("//evil.cn")).toBe(false);
  });
});

describe("认证设置", () => {
  it("S023 S062 switches the directory on and keeps its password without showing it", async () => {
    const { bodies, user } = start(AuthSettingsPage, "/settings/auth_setting");
    await user.click(await screen.findByRole("switch", { name: "启用目录登录" }));
    expect(await screen.findByLabelText("绑定密码")).toHaveProperty("value", "");
    expect(screen.getByText(/已经设置，留空保持不变/)).toBeTruthy();
    await user.click(screen.getByRole("switch", { name: "用户名允许下划线" }));
    await user.click(save());
    await waitFor(() => expect(bodies).toHaveLength(1));
    const { ldap } = settings.authentication;
    expect(bodies[0]).toEqual({
      authentication: {
        local: { ...settings.authentication.local, allowUnderscore: true },
        ldap: { ...ldap, enabled: true },
      },
    });
  });

  it("A20 counts no field that the next test accepts", async () => {
    const fault = { name: "authentication.ldap.searches[0].filter", message: "过滤条件的写法不正确" };
    const refused = { code: "invalid", message: fault.message, fields: [fault], request_id: "req-5" };
    let tries = 0;
    const { user } = start(AuthSettingsPage, "/settings/auth_setting", null, {
      "PUT /api/settings/authentication/checkLDAP": () => {
        tries += 1;
        return tries === 1 ? json(refused, 422) : json({ ok: true, steps: [], person: null });
      },
    });
    await user.click(await screen.findByRole("button", { name: "测试连接" }));
    expect(await screen.findByText("1 处需要修改")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "测试连接" }));
    await waitFor(() => expect(screen.queryByText("1 处需要修改")).toBeNull());
    await waitFor(() => expect(screen.queryByText(fault.message)).toBeNull());
    expect(tries).toBe(2);
  });

  it("S339 tries out what stands in the form, with the server's faults at their fields", async () => {
    const fault = { name: "authentication.ldap.searches[0].filter", message: "过滤条件的写法不正确" };
    const checks: unknown[] = [];
    const person = { dn: "uid=a", username: "zhangmin", name: "张敏", email: "", phone: "", groups: [5] };
    const report = {
      ok: false,
      steps: [
        { step: "connect", ok: true, message: "已连接" },
        { step: "search", ok: false, message: "ou=guests 不存在" },
      ],
      person,
    };
    const refused = { code: "invalid", message: fault.message, fields: [fault], request_id: "req-5" };
    const { bodies, user } = start(AuthSettingsPage, "/settings/auth_setting", null, {
      "PUT /api/settings/authentication/checkLDAP": async (request) => {
        checks.push(await request.json());
        return checks.length === 1 ? json(report) : json(refused, 422);
      },
    });
    await user.type(await screen.findByLabelText("目录地址"), "ldap://lab");
    expect(await screen.findByText(/明文/)).toBeTruthy();
    await user.type(screen.getByRole("textbox", { name: "测试" }), "zhangmin{Enter}");
    const result = await screen.findByRole("region", { name: "测试结果" });
    expect(result.textContent).toContain("测试没有通过");
    expect(result.textContent).toContain("ou=guests 不存在");
    await waitFor(() => expect(result.textContent).toContain("计算机视觉"));
    expect(checks[0]).toEqual({
      username: "zhangmin",
      ldap: { ...settings.authentication.ldap, url: "ldap://lab" },
    });
    await user.type(screen.getByLabelText("目录地址"), ".cn");
    expect(await within(result).findByText("设置在测试之后又改过")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "测试连接" }));
    expect(await screen.findByText(fault.message)).toBeTruthy();
    expect(bodies).toEqual([]);
  });
});

describe("安全设置", () => {
  it("stores lists of one entry a line", async () => {
    const { bodies, user } = start(SecuritySettingsPage, "/settings/security_setting");
    await user.type(await screen.findByLabelText("允许的镜像仓库"), "docker.io\n hub.lab:5000 \n\ndocker.io");
    await user.click(save());
    await waitFor(() => expect(bodies).toHaveLength(1));
    expect(bodies[0]).toEqual({
      security: { ...settings.security, allowedRegistries: ["docker.io", "hub.lab:5000"] },
    });
  });
});

describe("日志与数据保留", () => {
  const kept = {
    name: "login-logs",
    title: "登录日志",
    days: 180,
    entries: 12_345,
    oldest: "2026-06-01T00:00:00Z",
    ran: "2026-11-20T00:00:00Z",
    removed: 7,
    removedEver: 70,
  };
  const forward = { waiting: 0, at: null, error: "" };
  const audit = {
    seals: 3,
    lastSeal: { number: 3, hash: "ab".repeat(32), time: "2026-11-20T00:00:00Z" },
    syslog: { ...forward, waiting: 2, error: "连接不上" },
    fileState: forward,
  };
  const others = {
    "GET /api/retention": () => json([kept]),
    "GET /api/logs/archives": () =>
      json([{ name: "login-1-9.jsonl.gz", size: 2048, written: "2026-11-20T00:00:00Z" }]),
    "GET /api/audit": () => json(audit),
  };

  it("stores both parts, and shows what there is", async () => {
    const { bodies, user } = start(RetentionSettingsPage, "/settings/retention_setting", null, others);
    const days = await screen.findByRole("spinbutton", { name: "登录和操作日志" });
    expect(await screen.findByText(/12,345 条/)).toBeTruthy();
    expect(screen.getByText(/清理了 7 条/)).toBeTruthy();
    expect(screen.getByRole("button", { name: "下载 login-1-9.jsonl.gz" })).toBeTruthy();
    expect(screen.getByText("连接不上，还有 2 批没有发出")).toBeTruthy();
    await user.clear(days);
    await user.type(days, "365");
    await user.click(screen.getByRole("radio", { name: "TCP" }));
    expect(screen.getByRole("spinbutton", { name: "端口" })).toHaveProperty("value", "601");
    await user.click(save());
    await waitFor(() => expect(bodies).toHaveLength(1));
    const { syslog } = settings.forwarding;
    expect(bodies[0]).toEqual({
      retention: { ...settings.retention, logDays: 365 },
      forwarding: { syslog: { ...syslog, protocol: "tcp", port: 601 } },
    });
  });

  it("puts what is wrong with a test to the field", async () => {
    const { user } = start(RetentionSettingsPage, "/settings/retention_setting", null, {
      ...others,
      "POST /api/audit/syslog-test": () =>
        json(
          {
            code: "invalid",
            message: "连接不上",
            fields: [{ name: "host", message: "连接不上 10.0.0.1" }],
            request_id: "r",
          },
          422,
        ),
    });
    await user.type(await screen.findByRole("textbox", { name: "主机" }), "10.0.0.1");
    await user.click(screen.getByRole("button", { name: "发一条测试消息" }));
    expect(await screen.findByText("连接不上 10.0.0.1")).toBeTruthy();
  });
});
