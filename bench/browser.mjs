// Chromium as the benches drive it.
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../web/package.json", import.meta.url))("@playwright/test");

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });

/**
 * Runs with a page of a browser without a cache and its DevTools session. `visitor.state` is what the browser keeps of
 * somebody: it is brought up to date at the end, because a page that starts may exchange the token for a new one.
 */
export async function withPage(browser, visitor, work) {
  const context = await browser.newContext({ storageState: visitor.state, locale: "zh-CN", viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    const result = await work(page, await context.newCDPSession(page));
    visitor.state = await context.storageState();
    return result;
  } finally {
    await context.close();
  }
}

/** Somebody who has not signed in. */
export const stranger = () => ({ state: undefined });

/** Somebody who has signed in as a person does. */
export async function signedIn(browser, origin, username, password) {
  const visitor = stranger();
  await withPage(browser, visitor, async (page) => {
    await page.goto(`${origin}/login`);
    await page.getByLabel("用户名").fill(username);
    await page.getByLabel("密码", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname !== "/login");
  });
  return visitor;
}

/** What a browser without a cache fetches for one page, as it goes over the wire; `prepare` gets the page before. */
export function load(browser, origin, path, visitor, prepare = async () => {}) {
  return withPage(browser, visitor, async (page, session) => {
    await prepare(page);
    await session.send("Network.enable");
    const responses = new Map();
    const bodies = new Map();
    const total = { requests: 0, bytes: 0, script: 0 };
    session.on("Network.responseReceived", ({ requestId, response, type }) => responses.set(requestId, { response, type }));
    session.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
      bodies.set(requestId, (bodies.get(requestId) ?? 0) + encodedDataLength);
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const seen = responses.get(requestId);
      if (!seen?.response.url.startsWith(origin)) return;
      total.requests += 1;
      total.bytes += encodedDataLength;
      if (!/javascript/.test(seen.response.mimeType)) return;
      // Without the answer's head: the size of the file as it was compressed.
      total.script += bodies.get(requestId) ?? 0;
      const encoding = Object.entries(seen.response.headers).find(([name]) => name.toLowerCase() === "content-encoding");
      if (encoding?.[1] !== "br" && encodedDataLength > 4096) throw new Error(`${seen.response.url} came without Brotli`);
    });
    await page.goto(origin + path, { waitUntil: "networkidle" });
    const address = new URL(page.url()).pathname;
    if ((path === "/login") !== (address === "/login")) throw new Error(`${path} led to ${address}`);
    return total;
  });
}

/** CPU seconds of the page's main thread so far; what is counted begins with the first call. */
export async function taskSeconds(session) {
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value;
}
