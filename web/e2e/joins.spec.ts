// 添加服务器: the line to paste, its progress as the script reports it, taking it back, and the same by hand.
import { execFileSync } from "node:child_process";
import { arrive, expect, open, phone, test } from "./fixtures/test";

const address = "/servers/server_join";

/** A certificate request, as the script makes it. */
function certificateRequest(): string {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "/dev/null"];
  return execFileSync("openssl", ["req", "-new", "-sha256", ...key, "-subj", "/CN=x"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

test("a server is joined by one line, whose steps show as they happen", async ({ page, faults }) => {
  faults.expectStatus(422);
  await arrive(page);
  await open(page, "/servers/server_manage", "服务器管理");
  await page.getByRole("link", { name: "添加服务器" }).first().click();
  await expect(page).toHaveURL(address);
  await page.getByRole("textbox", { name: "名称" }).fill("gpu-a02");
  await page.getByRole("textbox", { name: "服务器地址" }).fill("localhost");
  await page.getByRole("button", { name: "生成命令" }).click();
  await expect(page.getByText("不能是本机（localhost）")).toBeVisible();
  await page.getByRole("textbox", { name: "服务器地址" }).fill("10.255.0.7");
  await page.getByRole("button", { name: "生成命令" }).click();
  await expect(page.getByText("等待运行")).toBeVisible();
  const line = (await page.getByText("sha256sum -c - &&").textContent()) ?? "";
  const token = /yunlab_join_\w+/.exec(line)?.[0] ?? "";
  expect(token).not.toBe("");

  const headers = { authorization: `Bearer ${token}` };
  const machine = { hostname: "gpu02", os: "Debian 13", kernel: "6.12", architecture: "x86_64" };
  const begun = await page.request.post("/api/joins/begin", {
    headers,
    data: { request: certificateRequest(), machine },
  });
  expect(await begun.text()).toContain("BEGIN CERTIFICATE");
  await expect(page.getByText("gpu02，Debian 13，x86_64")).toBeVisible();
  const report = { step: "docker", outcome: "failed", detail: "软件源里没有 Docker" };
  await page.request.post("/api/joins/report", { headers, data: report });
  const docker = page.getByRole("listitem").filter({ hasText: "安装 Docker" });
  await expect(docker.getByText("软件源里没有 Docker")).toBeVisible();
  await expect(docker.getByText("再运行一次同一条命令")).toBeVisible();

  await page.getByRole("button", { name: "作废" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "作废" }).click();
  await expect(page.getByText("已作废").first()).toBeVisible();
  const refused = await page.request.get("/api/joins/script", { headers });
  expect(refused.status()).toBe(409);
});

test("by hand, and the first images, on a phone too", async ({ visitor }) => {
  const page = await visitor(phone);
  await arrive(page);
  for (const [path, words] of [
    [`${address}?way=manual`, "去掉单元文件里的 -H"],
    [address, "NFS 共享"],
    ["/images/image_prepare", "从别的机器拷过来"],
  ] as const) {
    await page.goto(path);
    await expect(page.getByText(words).first()).toBeVisible();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, path).toBeLessThanOrEqual(0);
  }
});
