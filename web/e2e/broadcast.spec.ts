// What the portal tells all open pages at once.
import type { Page, WebSocketRoute } from "@playwright/test";
import { arrive, enter, expect, open, signIn, test, tokenOf } from "./fixtures/test";

/** The page's lines to the broadcast so far, and what it said on each. */
function linesOf(page: Page) {
  const lines: { address: URL; sent: (string | Buffer)[] }[] = [];
  page.on("websocket", (socket) => {
    const address = new URL(socket.url());
    if (address.pathname !== "/api/websocket/broadcast") return;
    const sent: (string | Buffer)[] = [];
    lines.push({ address, sent });
    socket.on("framesent", ({ payload }) => sent.push(payload));
  });
  return lines;
}

test("S251 S376 a page listens, says ping, and comes back when the server has been away", async ({
  page,
  server,
  faults,
}) => {
  faults.expect(/net::ERR_|WebSocket/);
  const lines = linesOf(page);
  await enter(page);
  await expect.poll(() => lines[0]?.sent).toEqual(["ping"]);
  // A ticket for this one address and not the login token, which addresses would give away.
  const token = await tokenOf(page);
  expect(token).not.toBe("");
  expect(lines[0]?.address.searchParams.get("auth")).toBeTruthy();
  expect(lines[0]?.address.search).not.toContain(token);

  await server.kill();
  await expect(page.getByText("与服务器的实时连接断开，正在重新连接")).toBeVisible();
  await server.startAgain();
  await expect.poll(() => lines.slice(1).flatMap(({ sent }) => sent)).toEqual(["ping"]);
  await expect(page.getByRole("heading", { level: 1, name: "首页" })).toBeAttached();
});

test("S109 S110 S111 S250 the lab restarts: people are asked to stop, and the page loads itself anew", async ({
  page,
}) => {
  let line: WebSocketRoute | undefined;
  // The real line; only the news on it is made up.
  await page.routeWebSocket("**/api/websocket/broadcast**", (route) => {
    const server = route.connectToServer();
    route.onMessage((ping) => {
      server.send(ping);
      line = route;
    });
  });
  await arrive(page);
  await open(page, "/profile/about", "关于 YunLab 云实验室");
  await expect.poll(() => line).toBeDefined();
  const start = Date.now();
  line?.send("restarting lab");
  const warning = page.getByRole("dialog", { name: "YunLab 云实验室 重启提醒" });
  await expect(warning).toContainText("实验室已更新，正在重启，请停止一切操作。");
  await expect(warning.getByRole("timer")).toHaveText(/页面将在 \d+ 秒后自动刷新。/);
  await page.keyboard.press("Escape");
  await expect(warning).toBeVisible();
  await page.waitForEvent("load");
  expect(Date.now() - start).toBeGreaterThan(9_500);
  await expect(page.getByRole("heading", { level: 1, name: "关于 YunLab 云实验室" })).toBeAttached();
  await expect(warning).toHaveCount(0);
});

test("what an administrator changes in the settings is on open pages within moments", async ({
  page,
  api,
}) => {
  const lines = linesOf(page);
  await arrive(page);
  await open(page, "/profile/about", "关于 YunLab 云实验室");
  await expect.poll(() => lines[0]?.sent).toEqual(["ping"]);
  await api.changeBasic({ productName: "深度学习实验室" });
  await expect(page.getByRole("heading", { level: 1, name: "关于 深度学习实验室" })).toBeAttached();
  await expect(page).toHaveTitle(/ - 深度学习实验室$/);
});

test("S389 without websockets the page says what will not be told", async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, "WebSocket"));
  const alerted = page.waitForEvent("dialog");
  await signIn(page);
  const alert = await alerted;
  expect(alert.message()).toBe("您的浏览器不支持 WebSocket!,暂时无法接收更新之后的重启提示");
  await alert.accept();
});
