import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve, sshGateway } from "@/test-server";
import { AccessTokens } from "./AccessTokens";
import { AppPasswords } from "./AppPasswords";
import { SshKeys } from "./SshKeys";

const token = {
  id: "t1",
  name: "夜间备份",
  scopes: ["read", "files"],
  created: "2026-01-01T00:00:00.000Z",
  expires: new Date(Date.now() + 86_400_000).toISOString(),
  lastUsed: null,
};

function show(answers: Parameters<typeof serve>[0], Page = AccessTokens, role: 1 | 2 = 2) {
  const server = serve({ "GET /api/profile/access-tokens": () => json({ items: [], total: 0 }), ...answers });
  return { ...server, ...renderPage(Page, { at: "/profile/detail", role }) };
}

describe("access tokens in the profile", () => {
  it("a new one is asked for with its scopes and end, and shown once with a copy button", async () => {
    const { calls, user } = show({
      "POST /api/profile/access-tokens": () => json({ ...token, token: "yunlab_pat_abc" }, 201),
    });
    await screen.findByText("还没有访问令牌");
    await user.click(screen.getByRole("button", { name: "新建访问令牌" }));
    const drawer = await screen.findByRole("dialog", { name: "新建访问令牌" });
    expect(within(drawer).queryByRole("checkbox", { name: /^管理员/ })).toBeNull();
    await user.type(within(drawer).getByRole("textbox", { name: /用途/ }), "夜间备份");
    await user.click(within(drawer).getByRole("checkbox", { name: /^网盘/ }));
    await user.click(within(drawer).getByRole("button", { name: "创建" }));
    const shown = await screen.findByRole("dialog", { name: "访问令牌 夜间备份" });
    expect(within(shown).getByText("yunlab_pat_abc")).toBeDefined();
    expect(within(shown).getByRole("button", { name: "复制" })).toBeDefined();
    const { body } = calls.find(({ key }) => key.startsWith("POST")) ?? { body: "{}" };
    const sent = JSON.parse(body);
    expect(sent).toMatchObject({ name: "夜间备份", scopes: ["read", "files"] });
    const days = (new Date(sent.expires).getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    await user.click(within(shown).getByRole("button", { name: "已经保存好了" }));
    expect(screen.queryByText("yunlab_pat_abc")).toBeNull();
  });

  it("one without a purpose or a scope is not asked for; administrators may have theirs", async () => {
    const { count, user } = show({}, AccessTokens, 1);
    await user.click(screen.getByRole("button", { name: "新建访问令牌" }));
    const drawer = await screen.findByRole("dialog", { name: "新建访问令牌" });
    await user.click(within(drawer).getByRole("checkbox", { name: /^只读/ }));
    await user.click(within(drawer).getByRole("checkbox", { name: /^管理员/ }));
    await user.click(within(drawer).getByRole("button", { name: "创建" }));
    expect(await within(drawer).findByText("请选择令牌可以做什么")).toBeDefined();
    expect(within(drawer).getByText("请填写用途，以后才认得出来")).toBeDefined();
    expect(count("POST /api/profile/access-tokens")).toBe(0);
  });

  it("each tells what it opens, its use and its end; revoking asks first", async () => {
    let items = [token, { ...token, id: "t2", name: "旧的", expires: "2026-01-02T00:00:00.000Z" }];
    const { user, count } = show({
      "GET /api/profile/access-tokens": () => json({ items, total: items.length }),
      "DELETE /api/profile/access-tokens/t1": () => {
        items = items.slice(1);
        return new Response(null, { status: 204 });
      },
    });
    const rows = within(await screen.findByRole("list", { name: "访问令牌" })).getAllByRole("listitem");
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/夜间备份只读网盘.*还没有用过.*有效期至/),
      expect.stringMatching(/旧的.*已过期/),
    ]);
    await user.click(screen.getByRole("button", { name: "撤销 夜间备份" }));
    const question = await screen.findByRole("dialog", { name: "撤销访问令牌 夜间备份？" });
    expect(count("DELETE /api/profile/access-tokens/t1")).toBe(0);
    await user.click(within(question).getByRole("button", { name: "撤销" }));
    expect(await screen.findByText("已撤销 夜间备份")).toBeDefined();
    expect(await screen.findByRole("button", { name: "撤销 旧的" })).toBeDefined();
    expect(screen.queryByRole("button", { name: "撤销 夜间备份" })).toBeNull();
  });

  it("a refusal stands in the form, a failed list can be asked for again", async () => {
    let fails = true;
    const { user } = show({
      "GET /api/profile/access-tokens": () =>
        fails ? problem(500, "internal", "服务器出错了") : json({ items: [token], total: 1 }),
      "POST /api/profile/access-tokens": () => problem(422, "invalid", "最多 20 个访问令牌，请先撤销不用的"),
    });
    expect(await screen.findByText("访问令牌没有取到")).toBeDefined();
    fails = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("夜间备份")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "新建访问令牌" }));
    const drawer = await screen.findByRole("dialog", { name: "新建访问令牌" });
    await user.type(within(drawer).getByRole("textbox", { name: /用途/ }), "x");
    await user.click(within(drawer).getByRole("button", { name: "创建" }));
    expect(await within(drawer).findByText("最多 20 个访问令牌，请先撤销不用的")).toBeDefined();
  });
});

describe("app passwords in the profile", () => {
  it("they are made for WebDAV, whose address is there", async () => {
    const { user } = show(
      {
        "GET /api/profile/app-passwords": () => json({ items: [], total: 0 }),
        "POST /api/profile/app-passwords": () =>
          json(
            {
              id: "p1",
              name: "rclone",
              kind: "files",
              created: token.created,
              lastUsed: null,
              password: "geheim",
            },
            201,
          ),
      },
      AppPasswords,
    );
    expect(await screen.findByText("http://lab.test/disk/dav/")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "新建应用密码" }));
    const drawer = await screen.findByRole("dialog", { name: "新建应用密码" });
    await user.type(within(drawer).getByRole("textbox", { name: /用途/ }), "rclone");
    await user.click(within(drawer).getByRole("button", { name: "创建" }));
    const shown = await screen.findByRole("dialog", { name: "应用密码 rclone" });
    expect(within(shown).getByText("geheim")).toBeDefined();
  });
});

describe("SSH keys in the profile", () => {
  const key = {
    id: "k1",
    name: "ann@laptop",
    algorithm: "ssh-ed25519",
    fingerprint: "SHA256:abc",
    key: "ssh-ed25519 AAAA",
    created: token.created,
    lastUsed: null,
    lastAddress: "",
  };

  it("one is added with the name that its line has, and shown with its fingerprint", async () => {
    let items: (typeof key)[] = [];
    const { calls, user } = show(
      {
        "GET /api/profile/ssh-keys": () => json({ items, total: items.length }),
        "POST /api/profile/ssh-keys": () => {
          items = [key];
          return json(key, 201);
        },
      },
      SshKeys,
    );
    expect(await screen.findByText("ssh -p 2222 zhangmin@lab.test")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "添加 SSH 公钥" }));
    const drawer = await screen.findByRole("dialog", { name: "添加 SSH 公钥" });
    await user.type(within(drawer).getByRole("textbox", { name: /公钥/ }), "ssh-ed25519 AAAA ann@laptop");
    await user.click(within(drawer).getByRole("button", { name: "添加" }));
    expect(await screen.findByText("SHA256:abc")).toBeDefined();
    const { body } = calls.find(({ key }) => key.startsWith("POST")) ?? { body: "{}" };
    expect(JSON.parse(body)).toEqual({ name: "ann@laptop", key: "ssh-ed25519 AAAA ann@laptop" });
  });

  it("says when the gateway does not answer", async () => {
    show(
      {
        "GET /api/profile/ssh-keys": () => json({ items: [], total: 0 }),
        "GET /api/ssh-gateway": () => json({ ...sshGateway, port: null }),
      },
      SshKeys,
    );
    expect(await screen.findByText(/平台现在没有开放 SSH/)).toBeDefined();
  });
});
