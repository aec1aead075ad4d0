// What a browser without a cache fetches for the login page and for the dashboard, as it goes over the wire.
// Prints rows of the table in README.md.
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../web/package.json", import.meta.url))("@playwright/test");
const [origin, username, password] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/** Opens a page in a fresh profile and adds up what came. */
async function measure(path, state) {
  const context = await browser.newContext({ storageState: state, locale: "zh-CN" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
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
  if (path === "/login" ? address !== path : address === "/login") throw new Error(`${path} led to ${address}`);
  await context.close();
  return total;
}

/** Signs in as a person does and gives what the browser keeps of it. */
async function signedIn() {
  const context = await browser.newContext({ locale: "zh-CN" });
  const page = await context.newPage();
  await page.goto(`${origin}/login`);
  await page.getByLabel("用户名").fill(username);
  await page.getByLabel("密码", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname !== "/login");
  const state = await context.storageState();
  await context.close();
  return state;
}

const kB = (bytes) => (bytes / 1000).toFixed(0);
try {
  for (const [name, path, aim, state] of [
    ["登录页", "/login", 250, undefined],
    ["首页", "/", 400, await signedIn()],
  ]) {
    const { requests, bytes, script } = await measure(path, state);
    console.log(`| ${name} | ${requests} | ${kB(bytes)} | ${kB(script)} | ${aim} |`);
  }
} finally {
  await browser.close();
}
