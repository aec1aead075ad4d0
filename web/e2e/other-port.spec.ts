// D1: what a user's instance serves on another port of the same host name learns nothing of a session and can't replace
// it. Cookies know no ports.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { enter, expect, open, test, tokenKey, tokenOf } from "./fixtures/test";

/** A neighbour's web server on the portal's host: it notes what browsers send, and gives its page the cookie it wants. */
async function neighbour(cookie: string) {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.setHeader("set-cookie", cookie);
    response.end("<!doctype html><title>Jupyter</title><h1>Jupyter</h1>");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/`, heard, stop: () => server.close() };
}

test("D1 another port of the host sees no login token, and gives none", async ({
  page,
  context,
  api,
  apiOf,
  server,
}) => {
  await api.user({ username: "zhangmin" });
  const theirs = (await apiOf("zhangmin")).token;
  const instance = await neighbour(`yunlab_token=${theirs}; Path=/; SameSite=Strict`);
  await enter(page);
  const mine = await tokenOf(page);
  expect(mine.split(".")).toHaveLength(3);

  await page.goto(instance.address);
  await expect(page.getByRole("heading", { name: "Jupyter" })).toBeVisible();
  const readable = await page.evaluate(
    () => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }),
  );
  for (const seen of [readable, JSON.stringify(instance.heard)]) expect(seen).not.toContain(mine);

  // The other way round: its cookie signs nobody in, and is deleted.
  await open(page, "/dashboard", "首页");
  await expect(page.getByRole("button", { name: /管理员，账号菜单/ })).toBeVisible();
  expect((await context.cookies()).map(({ name }) => name)).not.toContain("yunlab_token");
  // From an address that runs nothing: an open page would still be asking.
  await page.goto(new URL("/health", server.origin).href);
  await page.evaluate((key) => localStorage.removeItem(key), tokenKey);
  await page.goto(instance.address);
  await page.goto(new URL("/dashboard", server.origin).href);
  await expect(page).toHaveURL(/\/login\?redirect=dashboard$/);
  instance.stop();
});
