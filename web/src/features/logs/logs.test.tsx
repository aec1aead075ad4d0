import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { browserName } from "@/shared/lib/browser-name";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve, signedIn } from "@/test-server";
import type { LoginLog, OperateLog } from "./api";
import LoginLogPage from "./LoginLogPage";
import { readable } from "./OperateDetail";
import OperateLogPage from "./OperateLogPage";

const login: LoginLog = {
  id: 1,
  time: "2026-11-20T10:20:30.000Z",
  userId: null,
  username: "root",
  ip: "10.8.3.4",
  userAgent: "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36",
  action: "login",
  result: "wrong_credentials",
  count: 1,
};

const operate: OperateLog = {
  id: 7,
  time: "2026-11-20T10:20:30.000Z",
  userId: 1,
  username: "admin",
  ip: "10.8.3.4",
  action: "user.create",
  target: "zhangmin",
  detail: '{"role":2}',
  result: "success",
  requestId: "req-77",
  count: 1,
};

const queries: URLSearchParams[] = [];
const asked = (request: Request) => queries.push(new URL(request.url).searchParams);

beforeEach(() => {
  queries.length = 0;
});

function answers(rows: { login?: LoginLog[]; operate?: OperateLog[] }) {
  return {
    "GET /api/logs/login": (request: Request) => {
      asked(request);
      return json({ items: rows.login ?? [], total: rows.login?.length ?? 0 });
    },
    "GET /api/logs/operate": (request: Request) => {
      asked(request);
      return json({ items: rows.operate ?? [], total: rows.operate?.length ?? 0 });
    },
    "GET /api/logs/login/export": (request: Request) => {
      asked(request);
      return new Response("\uFEFF时间\r\n", { headers: { "content-type": "text/csv" } });
    },
  };
}

describe("登录日志", () => {
  it("S069 shows who tried to sign in, from where, with what result", async () => {
    serve(answers({ login: [login] }));
    renderPage(LoginLogPage, { at: "/logs/login_log" });
    const row = within((await screen.findByText("root")).closest("tr") ?? document.body);
    expect(row.getByText("用户名或密码错误")).toBeTruthy();
    expect(row.getByText("10.8.3.4")).toBeTruthy();
    expect(row.getByText("Chrome 156 · Windows")).toBeTruthy();
  });

  it("S069 filters by what the address says", async () => {
    serve(answers({}));
    const at =
      "/logs/login_log?username=root&ip=10.8&result=disabled&from=2026-11-01T00:00:00.000Z&order=asc";
    const { user, search } = renderPage(LoginLogPage, { at });
    expect(await screen.findByText("没有符合条件的结果")).toBeTruthy();
    expect(Object.fromEntries(queries[0] ?? [])).toEqual({
      page: "1",
      size: "20",
      order: "asc",
      username: "root",
      ip: "10.8",
      result: "disabled",
      from: "2026-11-01T00:00:00.000Z",
    });
    const [first] = screen.getAllByRole("button", { name: "清除筛选" });
    if (first) await user.click(first);
    await waitFor(() => expect(search().get("username")).toBeNull());
    expect(await screen.findByText("还没有登录记录")).toBeTruthy();
  });

  it("U11 all failures can be asked for at once, also in the export", async () => {
    serve(answers({ login: [login] }));
    vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:x");
    const { user } = renderPage(LoginLogPage, { at: "/logs/login_log?result=failure" });
    await screen.findByText("root");
    expect(Object.fromEntries(queries[0] ?? [])).toEqual({
      page: "1",
      size: "20",
      order: "desc",
      failed: "true",
    });
    expect(screen.getByText("全部失败")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "导出 CSV" }));
    await waitFor(() =>
      expect(Object.fromEntries(queries.at(-1) ?? [])).toEqual({ order: "desc", failed: "true" }),
    );
  });

  it("S069 exports what the filters let through, signed by the token", async () => {
    const token = signedIn(1);
    const server = serve(answers({ login: [login] }), 1);
    const saved = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:x");
    const { user } = renderPage(LoginLogPage, { at: "/logs/login_log?username=root" });
    await screen.findByText("root");
    await user.click(screen.getByRole("button", { name: "导出 CSV" }));
    await waitFor(() => expect(saved).toHaveBeenCalledOnce());
    expect(server.calls.at(-1)).toMatchObject({ key: "GET /api/logs/login/export", token });
    expect(Object.fromEntries(queries.at(-1) ?? [])).toEqual({ order: "desc", username: "root" });
  });

  it("says why an export did not come", async () => {
    serve({
      ...answers({ login: [login] }),
      "GET /api/logs/login/export": () => problem(503, "unavailable", "数据库没有应答"),
    });
    const { user } = renderPage(LoginLogPage, { at: "/logs/login_log" });
    await screen.findByText("root");
    await user.click(screen.getByRole("button", { name: "导出 CSV" }));
    expect(await screen.findByText("没有导出：数据库没有应答")).toBeTruthy();
  });
});

describe("操作日志", () => {
  it("S070 shows changes, and one of them in full", async () => {
    serve(answers({ operate: [operate] }));
    const { user, search } = renderPage(OperateLogPage, { at: "/logs/operate_log" });
    await user.click(await screen.findByRole("button", { name: "新建用户的详情" }));
    const drawer = within(await screen.findByRole("dialog"));
    expect(drawer.getByText("req-77")).toBeTruthy();
    expect(drawer.getByText("新建用户（user.create）")).toBeTruthy();
    expect(Object.fromEntries(search())).toEqual({ panel: "detail", id: "7" });
  });

  it("reads details and browsers", () => {
    expect(readable('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(readable("实例 2 → 4")).toBe("实例 2 → 4");
    expect(browserName("curl/8.5.0")).toBe("curl 8");
    expect(browserName("")).toBe("—");
    expect(browserName("x".repeat(41))).toBe(`${"x".repeat(40)}…`);
  });
});
