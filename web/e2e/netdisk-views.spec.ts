// Files of a lab in the page: each as its kind is read, in parts, and nothing of them is run.
import type { Page } from "@playwright/test";
import * as files from "./fixtures/lab-files";
import { png } from "./fixtures/media";
import { arrive, expect, phone, test } from "./fixtures/test";

const open = (page: Page, name: string) => page.goto(`/netdisk/files/home/${encodeURIComponent(name)}`);
const cell = (page: Page, text: string | RegExp) => page.getByRole("cell", { name: text });

/** Nothing scrolls sideways but what is made to. */
const expectNoOverflow = (page: Page) =>
  expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
    .toBeLessThanOrEqual(0);

test("Markdown and notebooks are set as text, with their pictures, and run nothing", async ({
  page,
  disk,
}) => {
  await disk.makeFolder("/home/图");
  await disk.upload("/home/图/曲线.png", png(60, 40, [200, 30, 30]));
  await disk.upload(
    "/home/README.md",
    "# 检测模型\n\n![损失曲线](图/曲线.png)\n\n[笔记本](实验.ipynb)\n\n```python\nprint(1)\n```\n",
  );
  await disk.upload("/home/实验.ipynb", files.notebook);
  await arrive(page, "zhangmin");
  await open(page, "README.md");
  await expect(page.getByRole("heading", { name: "检测模型" })).toBeVisible();
  await expect(page.getByRole("img", { name: "损失曲线" })).toHaveJSProperty("naturalWidth", 60);
  await page.getByText("源码", { exact: true }).click();
  await expect(page.getByRole("textbox", { name: "README.md 的内容" })).toContainText("# 检测模型");
  await page.reload();
  await expect(page.getByRole("textbox", { name: "README.md 的内容" })).toBeVisible();
  await page.getByText("预览", { exact: true }).click();

  await page.getByRole("link", { name: "笔记本" }).click();
  await expect(page.getByRole("heading", { name: "检测实验" })).toBeVisible();
  await expect(cell(page, "0.53")).toBeVisible();
  await expect(page.getByText("ZeroDivisionError").first()).toHaveCSS("color", /rgb/);
  expect(await page.evaluate(() => Reflect.get(window, "ran"))).toBeUndefined();
  await expect(page.getByRole("main").locator("iframe, script")).toHaveCount(0);
});

test("hostile texts are shown as far as a page goes, and it answers", async ({ page, disk }) => {
  const open3000 = Array.from({ length: 3_000 }, (_, at) => `<b id="${at}">`).join("");
  const texts = {
    // Browsers open the three thousand again in each of the paragraphs.
    "标签.md": [`<div>${open3000}${"<p>x".repeat(20_000)}`, "…"],
    "引用.md": [`${"> - ".repeat(200_000)}完`, "> - 完"],
    "强调.md": [`开头 ${"a* ".repeat(400_000)}`, "开头 a* a*"],
    "注释.md": [`开头 ${"<!--".repeat(400_000)}`, "开头 <!--"],
  } as const;
  for (const [name, [text]] of Object.entries(texts)) await disk.upload(`/home/${name}`, text);
  await arrive(page, "zhangmin");
  for (const [name, [, words]] of Object.entries(texts)) {
    await open(page, name);
    await expect(page.getByRole("region", { name: "正文" })).toContainText(words);
    await page.getByText("源码", { exact: true }).click();
    await expect(page).toHaveURL(/view=source/);
  }
});

test("a CSV is a table that is read as far as one scrolls, also in GBK", async ({ page, disk }) => {
  await disk.upload("/home/训练.csv", files.csv(120_000));
  await disk.upload("/home/成绩.csv", files.gbk);
  const ranges: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/raw/")) ranges.push(request.headers().range ?? "whole");
  });
  await arrive(page, "zhangmin");
  await open(page, "训练.csv");
  await expect(page.getByRole("columnheader", { name: "备注" })).toBeVisible();
  await expect(cell(page, /^第 1 轮，/)).toBeVisible();
  await expect(page.getByText(/^已读 /)).toBeVisible();
  expect(ranges).not.toContain("whole");

  const goal = page.getByRole("spinbutton", { name: "跳到第几行" });
  await goal.fill("60000");
  await goal.press("Enter");
  await expect(page.getByRole("rowheader", { name: "60000", exact: true })).toBeVisible();
  await expect(cell(page, /^第 60000 轮，/)).toBeVisible();
  await page.getByRole("button", { name: "读到末尾" }).click();
  await expect(page.getByText("共 120,000 行，3 列")).toBeVisible();

  await open(page, "成绩.csv");
  await expect(cell(page, "张敏")).toBeVisible();
  await expect(page.getByText("GBK")).toBeVisible();
  await expect(page.getByText("分号")).toBeVisible();
});

test("a log is followed from its end, until one scrolls up", async ({ page, disk }) => {
  await disk.upload("/home/train.log", files.log(20_000));
  await arrive(page, "zhangmin");
  await open(page, "train.log");
  const screen = page.getByRole("log");
  await expect(screen.getByText("step 19999 done")).toBeVisible();
  await expect(page.getByText("正在跟随")).toBeVisible();
  await disk.upload("/home/train.log", files.log(20_010), { override: true });
  await expect(screen.getByText("step 20009 done")).toBeVisible();

  await screen.focus();
  await page.keyboard.press("PageUp");
  await expect(page.getByText("已停止跟随")).toBeVisible();
  await disk.upload("/home/train.log", files.log(20_020), { override: true });
  for (let press = 0; press < 3; press += 1) await page.keyboard.press("Home");
  await expect(screen.getByText("step 20019 done")).toHaveCount(0);
  await page.getByRole("button", { name: "回到末尾并跟随" }).click();
  await expect(screen.getByText("step 20019 done")).toBeVisible();

  await page.getByRole("button", { name: "回到开头" }).click();
  await expect(screen.getByText("step 0 done")).toBeVisible();
});

test("a text that is too large for the editor is read from its beginning", async ({ page, disk }) => {
  const line = JSON.stringify({ text: "样本".repeat(40) });
  await disk.upload("/home/data.jsonl", `{"first": 1}\n${`${line}\n`.repeat(60_000)}{"last": 1}\n`);
  await arrive(page, "zhangmin");
  await open(page, "data.jsonl");
  await expect(page.getByText('{"first": 1}')).toBeVisible();
  await page.getByRole("button", { name: "回到末尾并跟随" }).click();
  await expect(page.getByText('{"last": 1}')).toBeVisible();
});

test("weights, arrays and columns are listed by their headers", async ({ page, disk }) => {
  await disk.upload("/home/model.safetensors", files.safetensors(30));
  await disk.upload("/home/a.npy", files.npy());
  await disk.upload("/home/ckpt.pt", files.torch());
  await disk.upload("/home/样本.parquet", files.parquet());
  await arrive(page, "zhangmin");
  await open(page, "model.safetensors");
  await expect(page.getByText("30 个张量")).toBeVisible();
  await page.getByPlaceholder("按名称筛选").fill("layers.29");
  await page.keyboard.press("Enter");
  await expect(cell(page, "model.layers.29.weight")).toBeVisible();
  await expect(cell(page, "model.layers.1.weight")).toHaveCount(0);

  await open(page, "a.npy");
  await expect(page.getByText("2 × 2")).toBeVisible();
  await expect(cell(page, "2.5")).toBeVisible();

  await open(page, "ckpt.pt");
  await expect(page.getByText(/会导入 os\.system/)).toBeVisible();

  await open(page, "样本.parquet");
  await expect(cell(page, "甲")).toBeVisible();
  await page.getByText("结构", { exact: true }).click();
  await expect(cell(page, "tags.list.element")).toBeVisible();
});

test("documents, workbooks and archives open without being unpacked or downloaded", async ({
  page,
  disk,
}) => {
  await disk.upload("/home/报告.docx", files.docx());
  await disk.upload("/home/结果.xlsx", files.xlsx());
  await disk.upload("/home/结果.zip", files.zip());
  await disk.upload("/home/数据.tar.gz", files.tarGz());
  await arrive(page, "zhangmin");
  await open(page, "报告.docx");
  await expect(page.getByRole("heading", { name: "开题报告" })).toBeVisible();
  await open(page, "结果.xlsx");
  await expect(cell(page, "41.2")).toBeVisible();
  await page.getByRole("tab", { name: "说明" }).click();
  await expect(cell(page, "数据集 COCO")).toBeVisible();

  await open(page, "结果.zip");
  await expect(page.getByText("说明.txt")).toBeVisible();
  await page.getByRole("button", { name: "results" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "run 1" }).click();
  await expect(page.getByText("metrics.json")).toBeVisible();
  await page.getByRole("button", { name: "ZIP" }).click();
  await expect(page.getByText("说明.txt")).toBeVisible();
  await open(page, "数据.tar.gz");
  await page.getByRole("button", { name: "data" }).click();
  await expect(page.getByText("a.txt", { exact: true })).toBeVisible();
});

test("a broken file says so and can be downloaded; the page goes on", async ({ page, disk }) => {
  const names = ["a.safetensors", "b.parquet", "c.docx", "d.zip", "e.npy", "f.pt", "g.ipynb", "h.gguf"];
  for (const name of names) await disk.upload(`/home/${name}`, "no such thing\n".repeat(20));
  await arrive(page, "zhangmin");
  for (const name of names) {
    await open(page, name);
    await expect(page.getByText(/已损坏|不是/).first()).toBeVisible();
    await expect(page.getByRole("button", { name: "下载" }).last()).toBeEnabled();
  }
  await page.getByRole("button", { name: "返回文件夹" }).click();
  await expect(page.getByRole("grid", { name: "文件" })).toBeVisible();
});

test("on a phone each of them fits", async ({ visitor, disk }) => {
  await disk.upload("/home/训练.csv", files.csv(50));
  await disk.upload("/home/实验.ipynb", files.notebook);
  await disk.upload("/home/train.log", files.log(100));
  await disk.upload("/home/model.safetensors", files.safetensors(30));
  await disk.upload("/home/结果.zip", files.zip());
  const page = await visitor(phone);
  await arrive(page, "zhangmin");
  for (const [name, words] of [
    ["训练.csv", "备注"],
    ["实验.ipynb", "检测实验"],
    ["train.log", "step 99 done"],
    ["model.safetensors", "model.layers.0.weight"],
    ["结果.zip", "说明.txt"],
  ] as const) {
    await open(page, name);
    await expect(page.getByRole("main").getByText(words).first()).toBeVisible();
    await expectNoOverflow(page);
  }
});
