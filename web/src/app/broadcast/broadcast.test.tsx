import { QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { App as AntApp, ConfigProvider } from "antd";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { socketBlockedWords } from "@/shared/api/proxies";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { json, problem, publicSettings, serve, signedIn } from "@/test-server";
import { queryClient } from "../query-client";
import { Broadcast } from "./Broadcast";
import { listen } from "./listen";

class FakeSocket {
  static all: FakeSocket[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  onclose: (() => void) | null = null;
  sent: string[] = [];
  closed = false;

  constructor(readonly address: URL) {
    FakeSocket.all.push(this);
  }
  send = (text: string) => void this.sent.push(text);
  close = () => {
    this.closed = true;
  };
}

const words = "与服务器的实时连接断开，正在重新连接";

function socket(nth = 0): FakeSocket {
  const found = FakeSocket.all[nth];
  if (!found) throw new Error(`socket ${nth} was not opened`);
  return found;
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const say = (data: string, nth = 0) => act(() => socket(nth).onmessage?.({ data }));

function show(answers: Parameters<typeof serve>[0] = {}) {
  signedIn();
  const server = serve({ "POST /api/tickets": () => json({ ticket: "t1" }), ...answers });
  const page = render(
    <QueryClientProvider client={queryClient}>
      <ConfigProvider theme={{ token: { motion: false } }}>
        <AntApp>
          <Broadcast />
        </AntApp>
      </ConfigProvider>
    </QueryClientProvider>,
  );
  return { ...server, ...page };
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  FakeSocket.all = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  queryClient.clear();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("broadcast", () => {
  it("S252 S376 connects two seconds after the top bar, with a ticket in the address", async () => {
    show();
    await pass(1_900);
    expect(FakeSocket.all).toHaveLength(0);
    await pass(100);
    const { protocol, pathname, searchParams } = socket().address;
    expect([protocol, pathname, searchParams.get("auth")]).toEqual(["ws:", "/api/websocket/broadcast", "t1"]);
  });

  it("S251 says ping at once and every minute, while it is open", async () => {
    const { unmount } = show();
    await pass(2_000);
    act(() => socket().onopen?.());
    expect(socket().sent).toEqual(["ping"]);
    await pass(120_000);
    expect(socket().sent).toEqual(["ping", "ping", "ping"]);
    unmount();
    expect(socket().closed).toBe(true);
    await pass(120_000);
    expect(socket().sent).toHaveLength(3);
    expect(FakeSocket.all).toHaveLength(1);
  });

  it("what changed while the page had no line yet is asked for once it has one", async () => {
    show();
    await queryClient.prefetchQuery(publicSettingsQuery);
    await pass(2_000);
    expect(queryClient.getQueryState(publicSettingsQuery.queryKey)?.isInvalidated).toBe(false);
    act(() => socket().onopen?.());
    expect(queryClient.getQueryState(publicSettingsQuery.queryKey)?.isInvalidated).toBe(true);
  });

  it("S390 an error is told, and the line comes back by itself", async () => {
    const { count } = show();
    await pass(2_000);
    act(() => socket().onopen?.());
    act(() => socket().onerror?.());
    act(() => socket().onclose?.());
    await screen.findByText(words);
    await queryClient.prefetchQuery(publicSettingsQuery);
    await pass(1_000);
    act(() => socket(1).onopen?.());
    expect(queryClient.getQueryState(publicSettingsQuery.queryKey)?.isInvalidated).toBe(true);
    expect(count("POST /api/tickets")).toBe(2);
  });

  it("a break is told once, however many tries it takes, and the tries become rarer", async () => {
    const onFailure = vi.fn();
    const dial = vi.fn(() => Promise.reject(new TypeError("Failed to fetch")));
    const others = { refusal: vi.fn(), onMessage: vi.fn(), onRefused: vi.fn(), onOpen: vi.fn() };
    const stop = listen({ dial, onFailure, ...others });
    await pass(300_000);
    expect(onFailure).toHaveBeenCalledOnce();
    expect(dial.mock.calls.length).toBeLessThan(12);
    stop();
    await pass(120_000);
    expect(dial.mock.calls.length).toBeLessThan(12);
  });

  it("a server that stops is waited for; it is told when it does not come back at once", async () => {
    let up = true;
    show({
      "POST /api/tickets": () => {
        if (!up) throw new TypeError("Failed to fetch");
        return json({ ticket: "t1" });
      },
    });
    await pass(2_000);
    act(() => socket().onopen?.());
    up = false;
    act(() => socket().onclose?.());
    expect(screen.queryByText(words)).toBeNull();
    await pass(1_000);
    await screen.findByText(words);
    up = true;
    await pass(2_000);
    expect(FakeSocket.all).toHaveLength(2);
  });

  /** Two tries to open a socket, in vain. */
  async function refuseTwice() {
    for (const [nth, ms] of [2_000, 1_000].entries()) {
      await pass(ms);
      act(() => socket(nth).onerror?.());
      act(() => socket(nth).onclose?.());
    }
    await pass(0);
  }

  it("A7 sockets that never open while calls get through: a proxy does not pass them on", async () => {
    const broadcast = "GET /api/websocket/broadcast";
    const notASocket = problem(400, "bad_request", "该地址只能以 WebSocket 方式连接");
    const { count } = show({ [broadcast]: () => notASocket.clone() });
    await refuseTwice();
    await screen.findByText(socketBlockedWords);
    expect(socketBlockedWords).toContain("反向代理");
    expect(screen.queryByText(words)).toBeNull();
    await pass(300_000);
    expect(count(broadcast)).toBe(1);
    expect(screen.getAllByText(socketBlockedWords)).toHaveLength(1);
    act(() => FakeSocket.all.at(-1)?.onopen?.());
    await pass(1_000);
    expect(screen.queryByText(socketBlockedWords)).toBeNull();
  });

  it("a refusal by the server itself is told in its words", async () => {
    const tooMany = "打开的页面太多，这一页收不到实时消息。请关闭一些页面";
    show({ "GET /api/websocket/broadcast": () => problem(429, "too_many_open", tooMany) });
    await refuseTwice();
    await screen.findByText(tooMany);
  });

  it("S389 a browser without websockets is told what it misses", async () => {
    vi.stubGlobal("WebSocket", undefined);
    const alerted = vi.fn();
    vi.stubGlobal("alert", alerted);
    show();
    await pass(2_000);
    expect(alerted).toHaveBeenCalledExactlyOnceWith(
      "您的浏览器不支持 WebSocket!,暂时无法接收更新之后的重启提示",
    );
  });

  it("what changed is fetched again, and nothing else", async () => {
    show();
    await queryClient.prefetchQuery(publicSettingsQuery);
    queryClient.setQueryData(["worksheets", "list"], []);
    const stale = (key: QueryKey) => queryClient.getQueryState(key)?.isInvalidated;
    await pass(2_000);
    say("ping");
    say("worksheets changed");
    expect([stale(publicSettingsQuery.queryKey), stale(["worksheets", "list"])]).toEqual([false, true]);
    say("settings changed");
    expect(stale(publicSettingsQuery.queryKey)).toBe(true);
  });
});

describe("restart warning", () => {
  async function warn(answers: Parameters<typeof serve>[0] = {}) {
    const reload = vi.spyOn(location, "reload").mockImplementation(() => {});
    const page = show({ "GET /health": () => new Response("OK\n"), ...answers });
    await queryClient.prefetchQuery(publicSettingsQuery);
    await pass(2_000);
    say("restarting lab");
    const dialog = await screen.findByRole("dialog", { name: `${publicSettings.productName} 重启提醒` });
    return { ...page, reload, dialog };
  }

  it("S109 S110 S111 S250 asks to stop everything, counts ten seconds down and reloads the page", async () => {
    const { dialog, reload } = await warn();
    expect(dialog.textContent).toContain("实验室已更新，正在重启，请停止一切操作。");
    expect(dialog.textContent).toContain("页面将在 10 秒后自动刷新。");
    await pass(4_000);
    expect(dialog.textContent).toMatch(/页面将在 [56] 秒后自动刷新。/);
    await pass(4_000);
    expect(reload).not.toHaveBeenCalled();
    await pass(3_000);
    expect(reload).toHaveBeenCalledOnce();
    await pass(10_000);
    expect(reload).toHaveBeenCalledOnce();
  });

  it("waits for a server that is not back yet", async () => {
    let up = false;
    const { dialog, reload } = await warn({
      "GET /health": () => new Response("", { status: up ? 200 : 503 }),
    });
    await pass(15_000);
    expect(dialog.textContent).toContain("正在等待服务器启动");
    expect(reload).not.toHaveBeenCalled();
    up = true;
    await pass(1_000);
    expect(reload).toHaveBeenCalledOnce();
  });
});
