import { describe, expect, it, vi } from "vitest";
import { useErrorLog } from "@/shared/stores/error-log";
import { useSession } from "@/shared/stores/session";
import { json, makeToken, problem, serve, signedIn } from "@/test-server";
import { apiBase } from "./api-base";
import { portal, unwrap } from "./client";
import { askDisk, diskClient } from "./disk-client";
import { fetchJson } from "./fetch-json";
import { ApiError } from "./problem";
import { bodyLimitWords } from "./proxies";
import { publicSettingsQuery } from "./public-settings";
import { renewToken } from "./renew";
import { onSessionEnd, type SessionEnd } from "./session-end";
import { signOut } from "./sign-out";
import { dropToken, readClaims, storedToken, storeToken } from "./token";

const encode = (value: unknown) => btoa(JSON.stringify(value));

function recordEnds() {
  const ends: SessionEnd[] = [];
  const stop = onSessionEnd((end) => ends.push(end));
  return { ends, stop };
}

describe("token", () => {
  it("S161 reads exp, id, role and username", () => {
    const token = `x.${encode({ exp: 10, iat: 1, id: 3, role: 1, username: "ann" })}.y`;
    expect(readClaims(token)).toEqual({ exp: 10, iat: 1, id: 3, role: 1, username: "ann" });
  });

  it("S162 understands the form with a user object", () => {
    const token = `x.${encode({ exp: 10, user: { id: 3, role: 2, username: "ann" } })}.y`;
    expect(readClaims(token)).toMatchObject({ exp: 10, id: 3, role: 2, username: "ann" });
  });

  it.each(["", "a.b", "a.b.c.d", "a..c", "a.!!.c", `a.${btoa("[")}.c`])("S263 %j is malformed", (token) => {
    expect(() => readClaims(token)).toThrow("token malformed");
  });

  it("D1 is in the origin's storage and in no cookie, and goes when dropped", () => {
    const token = signedIn();
    expect(document.cookie).not.toContain(token);
    expect(Object.values({ ...localStorage })).toContain(token);
    expect(storedToken()).toBe(token);
    dropToken();
    expect(storedToken()).toBeNull();
  });

  it("is none when it has expired", () => {
    storeToken(`x.${encode({ exp: Math.floor(Date.now() / 1000) - 1, id: 3, role: 1 })}.y`);
    expect(storedToken()).toBeNull();
  });

  it("serves the tab where the browser refuses storage", () => {
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("refused", "QuotaExceededError");
    });
    const token = signedIn();
    expect(storedToken()).toBe(token);
    dropToken();
    expect(storedToken()).toBeNull();
  });
});

describe("calls", () => {
  it("S308 S309 S310 go to /api with the bearer token and give the data", async () => {
    const token = signedIn();
    const server = serve();
    const settings = await unwrap(portal.GET("/api/settings/public"));
    expect(settings.version).toBe("4.3.29");
    expect(server.calls).toMatchObject([{ key: "GET /api/settings/public", token }]);
  });

  it("nothing more is asked while the page signs out", async () => {
    useSession.setState({ token: signedIn() });
    const server = serve({ "POST /api/auth/logout": () => json({}) });
    const leaving = signOut();
    const late = await unwrap(portal.POST("/api/tickets", { body: { path: "/api/x", method: "GET" } })).catch(
      (thrown: unknown) => thrown,
    );
    expect(late).toMatchObject({ status: 401, code: "signed_out" });
    await leaving;
    expect(server.calls.map(({ key }) => key)).toEqual(["POST /api/auth/logout"]);
    expect(storedToken()).toBeNull();
  });

  it("takes back what was asked just before the page signs out, but never a change", async () => {
    useSession.setState({ token: signedIn() });
    const never = () => new Promise<Response>(() => {});
    let answerChange: (response: Response) => void = () => {};
    const server = serve({
      "POST /api/tickets": never,
      "GET /api/dashboard": never,
      "POST /api/worksheets": () => new Promise<Response>((resolve) => (answerChange = resolve)),
      "POST /api/auth/logout": () => json({}),
    });
    const thrown = (error: unknown) => error;
    const ticket = unwrap(portal.POST("/api/tickets", { body: { path: "/api/x", method: "GET" } })).catch(
      thrown,
    );
    const dashboard = unwrap(portal.GET("/api/dashboard")).catch(thrown);
    const order = { type: "fault", title: "卡 3", content: "报错" } as const;
    const change = unwrap(portal.POST("/api/worksheets", { body: order }));
    await vi.waitFor(() => expect(server.calls).toHaveLength(3));
    await signOut();
    expect(await ticket).toMatchObject({ code: "signed_out" });
    expect(await dashboard).toMatchObject({ code: "signed_out" });
    answerChange(json({ id: "one" }));
    expect(await change).toMatchObject({ id: "one" });
  });

  it("a second click on 退出登录 waits for the first", async () => {
    useSession.setState({ token: signedIn() });
    const server = serve({ "POST /api/auth/logout": () => json({}) });
    await Promise.all([signOut(), signOut()]);
    expect(server.calls.map(({ key }) => key)).toEqual(["POST /api/auth/logout"]);
  });

  it("S388 other errors are rejected with what the server said", async () => {
    serve({ "GET /api/dashboard": () => problem(409, "conflict", "状态不允许") });
    const error = await unwrap(portal.GET("/api/dashboard")).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 409, code: "conflict", message: "状态不允许", requestId: "req-1" });
  });

  it("S387 a port in use is rejected with the engine's message", async () => {
    const message = "Bind for 0.0.0.0:22 failed: port is already allocated";
    serve({ "GET /api/dashboard": () => problem(500, "internal", message) });
    await expect(unwrap(portal.GET("/api/dashboard"))).rejects.toThrow(message);
  });

  it("words an answer that is not ours and one that never came", async () => {
    serve({ "GET /api/dashboard": () => new Response("<html>", { status: 502 }) });
    await expect(unwrap(portal.GET("/api/dashboard"))).rejects.toMatchObject({
      status: 502,
      code: "http_502",
    });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
    await expect(unwrap(portal.GET("/api/dashboard"))).rejects.toMatchObject({ status: 0, code: "network" });
  });

  it.each(["<html>413 Request Entity Too Large</html>", "", "Request Entity Too Large"])(
    "A7 a proxy that refuses a body (%j) is named",
    async (body) => {
      serve({ "GET /api/dashboard": () => new Response(body, { status: 413 }) });
      await expect(unwrap(portal.GET("/api/dashboard"))).rejects.toMatchObject({ message: bodyLimitWords });
      serve({ "GET /api/dashboard": () => problem(413, "payload_too_large", "内容太大") });
      await expect(unwrap(portal.GET("/api/dashboard"))).rejects.toMatchObject({ message: "内容太大" });
    },
  );

  it("S202 the public settings are remembered by name", async () => {
    const { queryFn } = publicSettingsQuery;
    serve();
    if (typeof queryFn !== "function") throw new Error("no query function");
    await unwrap(portal.GET("/api/settings/public"));
    localStorage.setItem("storage_host", "old");
    await Reflect.apply(queryFn, undefined, [{}]);
    expect(localStorage.getItem("storage_host")).toBe("/disk");
    expect(localStorage.getItem("base_url")).toBe("");
  });

  it("the configured base never leads to another origin", () => {
    expect(apiBase("")).toBe("");
    expect(apiBase("http://lab.test/lab/")).toBe("/lab");
    expect(apiBase("/lab")).toBe("/lab");
    expect(apiBase("http://elsewhere.test/")).toBe("");
    expect(apiBase("javascript:alert(1)")).toBe("");
  });
});

describe("calls to the storage host", () => {
  const refuse =
    (status: number, line: string, reason = "") =>
    () =>
      new Response(`${line}\n`, { status, headers: reason ? { "disk-reason": reason } : {} });
  const remove = () =>
    askDisk(diskClient("/disk").DELETE("/api/resources/{path}", { params: { path: { path: "/home/a" } } }));

  it.each([400, 403, 404, 409, 423, 500, 507])(
    "S379 a %i throws an error with its status",
    async (status) => {
      serve({ "DELETE /disk/api/resources/home/a": refuse(status, `${status} X`) });
      await expect(remove()).rejects.toMatchObject({ status });
    },
  );

  it.each([
    [
      400,
      "400 Bad Request (a name of nothing but dots)",
      "",
      "服务器不接受这个请求（a name of nothing but dots）",
    ],
    [409, "409 Conflict (a folder is there)", "folder_there", "同名的是一个文件夹"],
    [423, "423 Locked (locked over WebDAV)", "locked", "文件被其他人通过 WebDAV 锁定，请稍后再试"],
    [
      409,
      "409 Conflict (too many links)",
      "too_many_links",
      "分享链接已达每人的上限，请先删除不用的，或请管理员在“系统设置 → 网盘设置 → 全局设置”里调高“每人分享链接数”",
    ],
    [507, "507 Insufficient Storage (quota exceeded)", "quota_exceeded", "超出网盘配额"],
    [413, "413 Payload Too Large", "", "文件比申报的大"],
    [413, "<html>413 Request Entity Too Large</html>", "", bodyLimitWords],
  ])("S380 %i throws why it was refused, in people's words", async (status, line, reason, words) => {
    serve({ "DELETE /disk/api/resources/home/a": refuse(status, line, reason) });
    await expect(remove()).rejects.toMatchObject({ message: words });
  });
});

describe("generic helper", () => {
  it("S377 sends the token to the base address plus the path", async () => {
    const token = signedIn();
    const server = serve({ "GET /lab/x": () => json({ ok: true }) });
    await expect(fetchJson("/x", "/lab")).resolves.toEqual({ ok: true });
    expect(server.calls[0]).toMatchObject({ key: "GET /lab/x", token });
  });

  it("S378 whatever is not 200 throws with its status and is logged", async () => {
    useErrorLog.getState().clear();
    serve({ "GET /x": () => json({}, 201) });
    await expect(fetchJson("/x")).rejects.toMatchObject({ status: 201 });
    expect(useErrorLog.getState().entries[0]?.info).toBe("201 /x");
  });
});

describe("end of a session", () => {
  it("S205 a 401 drops the token and is told", async () => {
    signedIn();
    const { ends, stop } = recordEnds();
    serve({ "GET /api/dashboard": () => problem(401, "unauthorized", "x") });
    await expect(unwrap(portal.GET("/api/dashboard"))).rejects.toMatchObject({ status: 401 });
    expect(storedToken()).toBeNull();
    expect(ends).toEqual([{ status: 401, message: "x", signedIn: true }]);
    stop();
  });

  it("a refused sign-in has no session to end", async () => {
    const { ends, stop } = recordEnds();
    serve({ "POST /api/auth": () => problem(403, "account_disabled", "账号已禁用") });
    await unwrap(portal.POST("/api/auth", { body: { username: "a", password: "b" } })).catch(() => {});
    expect(ends).toEqual([{ status: 403, message: "账号已禁用", signedIn: false }]);
    stop();
  });

  it("a request that another tab's renewal overtook is sent once more with the new token", async () => {
    const old = signedIn();
    const fresh = makeToken({ age: 0 });
    const { ends, stop } = recordEnds();
    const server = serve({
      "PUT /api/users/{id}": () => json({}),
      "GET /api/dashboard": (request) => {
        if (request.headers.get("authorization") === `Bearer ${fresh}`)
          return json({ quotas: {}, admin: null });
        storeToken(fresh);
        return problem(401, "unauthorized", "x");
      },
    });
    await unwrap(portal.GET("/api/dashboard"));
    expect(server.calls.map((call) => call.token)).toEqual([old, fresh]);
    expect(storedToken()).toBe(fresh);
    expect(ends).toEqual([]);
    stop();
  });

  it("a renewal in another tab counts also when its cookie comes only after the refusal", async () => {
    const old = signedIn();
    const fresh = makeToken({ age: 0 });
    const { ends, stop } = recordEnds();
    const server = serve({
      "GET /api/dashboard": (request) => {
        if (request.headers.get("authorization") === `Bearer ${fresh}`)
          return json({ quotas: {}, admin: null });
        setTimeout(() => storeToken(fresh), 150);
        return problem(401, "unauthorized", "x");
      },
    });
    await unwrap(portal.GET("/api/dashboard"));
    expect(server.calls.map((call) => call.token)).toEqual([old, fresh]);
    expect(ends).toEqual([]);
    stop();
  });

  it("waits for a renewal under way before it believes a 401", async () => {
    const old = signedIn();
    const fresh = makeToken({ age: 0 });
    let finish = () => {};
    const server = serve({
      "POST /api/renew": () => new Promise((resolve) => (finish = () => resolve(new Response(fresh)))),
      "GET /api/dashboard": (request) =>
        request.headers.get("authorization") === `Bearer ${fresh}`
          ? json({ quotas: {}, admin: null })
          : problem(401, "unauthorized", "x"),
    });
    const renewal = renewToken();
    await vi.waitFor(() => expect(server.count("POST /api/renew")).toBe(1));
    const call = unwrap(portal.GET("/api/dashboard"));
    await vi.waitFor(() => expect(server.count("GET /api/dashboard")).toBe(1));
    expect(storedToken()).toBe(old);
    finish();
    await renewal;
    await expect(call).resolves.toBeDefined();
    expect(storedToken()).toBe(fresh);
  });
});

describe("renewal", () => {
  it("S206 S313 takes the new token as text", async () => {
    const old = signedIn();
    const fresh = makeToken({ age: 0 });
    const server = serve({ "POST /api/renew": () => new Response(`${fresh}\n`) });
    await renewToken();
    expect(server.calls).toMatchObject([{ key: "POST /api/renew", token: old }]);
    expect(storedToken()).toBe(fresh);
  });

  it("a token younger than a minute stays", async () => {
    signedIn(2, 30);
    const server = serve();
    await renewToken();
    expect(server.calls).toEqual([]);
  });

  it("two tabs at once renew once", async () => {
    signedIn();
    const server = serve();
    await Promise.all([renewToken(), renewToken()]);
    expect(server.count("POST /api/renew")).toBe(1);
  });

  it("a server that is busy does not end the session, one that refuses does", async () => {
    const token = signedIn();
    serve({ "POST /api/renew": () => problem(503, "unavailable", "x") });
    await renewToken();
    expect(storedToken()).toBe(token);
    serve({ "POST /api/renew": () => problem(401, "unauthorized", "x") });
    await expect(renewToken()).rejects.toMatchObject({ status: 401 });
    expect(storedToken()).toBeNull();
  });
});
