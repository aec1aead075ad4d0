import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { serve, signedIn } from "@/test-server";
import { portal, unwrap } from "./client";
import { checkLine, useLine } from "./line";

const never = () => new Promise<Response>(() => {});
const broken = () => Promise.reject(new TypeError("Failed to fetch"));
const fine = () => new Response("ok");

const lost = () => useLine.getState().lost;
const release = () => unwrap(portal.DELETE("/api/announcements/{id}", { params: { path: { id: "a" } } }));

describe("the line to the portal", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    signedIn();
  });
  afterEach(() => vi.useRealTimers());

  it("is lost when a call and the portal itself are silent, and found again by asking", async () => {
    let health = broken;
    const server = serve({ "GET /api/dashboard": broken, "GET /health": () => health() });
    await expect(unwrap(portal.GET("/api/dashboard"))).rejects.toMatchObject({ code: "network" });
    await vi.waitFor(() => expect(lost()).toBe(true));
    health = async () => fine() as never;
    await vi.advanceTimersByTimeAsync(1_100);
    expect(lost()).toBe(false);
    const asked = server.count("GET /health");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.count("GET /health")).toBe(asked);
  });

  it("is not lost because one call was broken off", async () => {
    const server = serve({ "GET /api/dashboard": broken, "GET /health": fine });
    await expect(unwrap(portal.GET("/api/dashboard"))).rejects.toMatchObject({ code: "network" });
    await vi.waitFor(() => expect(server.count("GET /health")).toBe(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(lost()).toBe(false);
  });

  it("a proxy that answers for an absent portal counts as silence", async () => {
    serve({
      "GET /api/dashboard": () => new Response("", { status: 502 }),
      "GET /health": () => new Response("", { status: 502 }),
    });
    await expect(unwrap(portal.GET("/api/dashboard"))).rejects.toMatchObject({ status: 502 });
    await vi.waitFor(() => expect(lost()).toBe(true));
  });

  it("while it is lost a change is refused at once and not sent", async () => {
    const server = serve({ "GET /health": broken, "DELETE /api/announcements/a": never });
    await checkLine();
    await expect(release()).rejects.toMatchObject({
      code: "offline",
      message: "已离线，操作没有提交，恢复连接后请再试一次",
    });
    expect(server.count("DELETE /api/announcements/a")).toBe(0);
  });

  it("a change is sent when the portal has come back since", async () => {
    let health = broken;
    serve({
      "GET /health": () => health(),
      "DELETE /api/announcements/a": () => new Response(null, { status: 204 }),
    });
    await checkLine();
    health = async () => fine() as never;
    await release();
    expect(lost()).toBe(false);
  });

  it("a change under way ends soon after the line went silent, and says that it may have happened", async () => {
    serve({ "GET /health": broken, "DELETE /api/announcements/a": never });
    const outcome = release().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(8_100);
    expect(await outcome).toMatchObject({ code: "unanswered" });
  });

  it("a change that takes long is waited for while the portal answers", async () => {
    let answer = (_: Response) => {};
    serve({
      "GET /health": fine,
      "DELETE /api/announcements/a": () => new Promise<Response>((resolve) => (answer = resolve)),
    });
    const outcome = release();
    await vi.advanceTimersByTimeAsync(60_000);
    answer(new Response(null, { status: 204 }));
    await outcome;
  });
});
