// A shell in an instance of a real engine: typed, resized, kept over other pages, searched, and told when the instance
// stops.
import type { Page } from "@playwright/test";
import type { components } from "@/shared/api/portal";
import { equip, smallInstance } from "./fixtures/compute";
import { Engine, test } from "./fixtures/engine";
import { arrive, expect } from "./fixtures/test";

type Instance = components["schemas"]["InstanceView"];

// A container's network comes and goes with it, and Chromium breaks off what it is loading and tells on the console.
test.beforeEach(({ faults }) =>
  faults.expect(/ERR_NETWORK_CHANGED|Unable to preload CSS|dynamically imported module/),
);

/** Opens the page of a shell; again where the network of the container that just began broke it off. */
async function openShell(page: Page, address: string): Promise<void> {
  await expect(async () => {
    await page.goto(address);
    await expect(page.getByText("会话 1 已连接")).toBeVisible();
  }).toPass({ timeout: 60_000 });
}

test("S049 a shell in an instance is typed into, goes on behind other pages, and ends with the instance", async ({
  engine,
  api,
  page,
}) => {
  test.setTimeout(120_000);
  const server = await equip(api, engine, "gpu-a01");
  const { id } = await api.post<Instance>("/api/instances", smallInstance(server.id, Engine.image));
  await api.until(`/api/instances/${id}`, (seen: Instance) => seen.state === "running");
  await arrive(page);
  await openShell(page, `/servers/server_terminal/${server.id}/${id}/127.0.0.1/sh`);
  const screen = page.locator(".xterm-rows");
  await page.keyboard.type("echo $((6*7)) 中文 >/tmp/said; cat /tmp/said\n");
  await expect(screen).toContainText("42 中文");
  await page.setViewportSize({ width: 1000, height: 600 });
  await page.keyboard.type("stty size\n");
  const size = page.getByTitle("列 × 行");
  const [cols = "", rows = ""] = ((await size.textContent()) ?? "").split(" × ");
  await expect(screen).toContainText(`${rows} ${cols}`);

  await page.keyboard.press("Control+Shift+F");
  await page.getByLabel("查找内容").fill("中文");
  await expect(page.getByRole("search").getByRole("status")).toHaveText(/1 \/ \d|\d \/ \d/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Shift+F6");
  await expect(page.getByRole("button", { name: "查找", exact: true })).toBeFocused();

  await page.getByRole("link", { name: "网盘" }).first().click();
  await expect(page.getByRole("region", { name: "文件夹操作" })).toBeVisible();
  await page.goBack();
  await expect(screen).toContainText("42 中文");

  await page.getByRole("button", { name: "新会话" }).click();
  await page.getByRole("menuitem", { name: "sh", exact: true }).click();
  await expect(page.getByText("会话 2 已连接")).toBeVisible();
  await page.keyboard.type("seq 20000; exit 3\n");
  await expect(page.getByText("Shell 已结束，退出状态 3").first()).toBeVisible();
  // Below all that was printed, not over it and not between.
  await expect(screen).toHaveText(/20000\s*Shell 已结束，退出状态 3\s*$/);

  await page.getByRole("button", { name: "1 · sh", exact: true }).click();
  await api.post(`/api/instances/${id}/stop`, {});
  await expect(page.getByRole("button", { name: "重新打开 sh" })).toBeVisible({ timeout: 30_000 });
});

test("S049 Chinese arrives whole, typed with an input method and pasted; closing the page's tag ends its shells", async ({
  engine,
  api,
  page,
  context,
}) => {
  test.setTimeout(120_000);
  const server = await equip(api, engine, "gpu-a01");
  const { id, name } = await api.post<Instance>("/api/instances", smallInstance(server.id, Engine.image));
  await api.until(`/api/instances/${id}`, (seen: Instance) => seen.state === "running");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await arrive(page);
  // The shell asks where the cursor is, and what is typed before the answer may get to `cat` before it too.
  const answered = new Promise<void>((resolve) => {
    page.on("websocket", (line) =>
      line.on("framesent", ({ payload }) => /\[\d+;\d+R/.test(String(payload)) && resolve()),
    );
  });
  await openShell(page, `/servers/server_terminal/${server.id}/${id}/127.0.0.1/sh`);
  await answered;

  const typed = "云实验室，𠮷😀。";
  // More than one frame, so that letters are cut between frames.
  const pasted = Array.from({ length: 800 }, (_, line) => `第 ${line} 行：粘贴的中文😀`).join("\n");
  await page.keyboard.type("cat >/tmp/said\n");
  const inputMethod = await context.newCDPSession(page);
  await inputMethod.send("Input.imeSetComposition", {
    text: "yunshiyanshi",
    selectionStart: 12,
    selectionEnd: 12,
  });
  await inputMethod.send("Input.insertText", { text: typed });
  // Nobody is faster than the input method.
  await expect(page.locator(".xterm-rows")).toContainText("云实验室");
  await page.keyboard.press("Enter");
  await page.evaluate((text) => navigator.clipboard.writeText(text), `${pasted}\n`);
  await page.locator(".xterm-screen").click({ button: "right" });
  const said = () => engine.docker("exec", name, "cat", "/tmp/said");
  await expect.poll(said).toContain("第 799 行");
  await page.keyboard.press("Control+d");
  expect(await said()).toBe(`${typed}\n${pasted}`);

  const programs = () => engine.docker("exec", name, "ps", "-o", "args");
  await page.keyboard.type("sleep 4321\n");
  await expect.poll(programs).toContain("sleep 4321");
  await page
    .getByRole("navigation", { name: "打开的页面" })
    .getByRole("button", { name: /^关闭 终端/ })
    .click();
  await expect(page).not.toHaveURL(/server_terminal/);
  await expect.poll(programs).not.toContain("sleep 4321");
});

test("S050 the login of SSH has one button for the key's file", async ({ engine, api, page }) => {
  const server = await equip(api, engine, "gpu-a01");
  await arrive(page);
  await page.goto(`/servers/${server.id}/server_terminal_ssh/127.0.0.1/22`);
  await page.getByRole("radiogroup", { name: "登录方式" }).getByText("密钥").click();
  await expect(page.getByText("未选择")).toBeVisible();
  // The form's own styles would show the browser's beside it.
  await expect(page.getByLabel("私钥文件").and(page.locator("input"))).toBeHidden();
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "选择文件" }).click();
  await (await choosing).setFiles({
    name: "id_ed25519",
    mimeType: "text/plain",
    buffer: Buffer.from("none"),
  });
  await expect(page.getByText("id_ed25519", { exact: true })).toBeVisible();
});
