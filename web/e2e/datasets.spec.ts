// Datasets: made of a folder on the disk, found by label, shown to those who may see them, kept in versions.
import type { components } from "@/shared/api/portal";
import type { Api } from "./fixtures/api";
import { png } from "./fixtures/media";
import { chooseEntry } from "./fixtures/menu";
import { arrive, expect, expectNoList, open, pick, test } from "./fixtures/test";

type Schemas = components["schemas"];

/** Makes a dataset and waits until its folder is there and counted. */
async function dataset(
  api: Api,
  fields: Partial<Schemas["DatasetForm"]> & { name: string },
): Promise<string> {
  const { id }: Schemas["DatasetView"] = await api.post("/api/datasets", { type: "image", ...fields });
  await api.until(`/api/datasets/${id}`, ({ counted }: Schemas["DatasetDetail"]) => counted != null);
  return id;
}

test("S018 S051 administrators keep the labels", async ({ page, api }) => {
  await api.user({ username: "zhangmin" });
  await arrive(page, "zhangmin");
  await page.goto("/dataset/label_manage");
  await expect(page).toHaveURL(/\/dashboard$/);
  await arrive(page);
  await open(page, "/dataset/label_manage", "标签管理");
  await page.getByRole("button", { name: "新建标签" }).first().click();
  const drawer = page.getByRole("dialog", { name: "新建标签" });
  await drawer.getByLabel("名称").fill("检测");
  await drawer.getByRole("button", { name: "创建" }).click();
  await expect(page.getByText("已创建标签 检测")).toBeVisible();
  const row = page.getByRole("row", { name: /检测/ });
  await row.getByRole("button", { name: "编辑" }).click();
  const editing = page.getByRole("dialog", { name: "编辑标签 检测" });
  await editing.getByLabel("名称").fill("目标检测");
  await pick(page, editing.getByRole("combobox", { name: "分类" }), "领域");
  await editing.getByRole("button", { name: "保存" }).click();
  const renamed = page.getByRole("row", { name: /目标检测.*领域/ });
  await expect(renamed).toBeVisible();
  await renamed.getByRole("button", { name: "目标检测 的更多操作" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "删除" }));
  const deleting = page.getByRole("dialog", { name: /^删除标签/ });
  await deleting.getByRole("textbox").fill("目标检测");
  await deleting.getByRole("button", { name: "删除", exact: true }).click();
  await expect(page.getByText("还没有标签")).toBeVisible();
});

test("S052 S053 a folder becomes a dataset, which others see when it is shared with them", async ({
  page,
  api,
  apiOf,
}) => {
  await api.user({ username: "zhangmin" });
  await api.user({ username: "chenyu" });
  const mine = await apiOf("zhangmin");
  const label: Schemas["Label"] = await api.post("/api/labels", {
    name: "分类",
    color: "#2e8b57",
    kind: "task",
  });
  await mine.makeFolder("/home/digits/train");
  await mine.upload(
    "/home/digits/train/1.png",
    png(8, 8, () => [20, 120, 200]),
  );
  await arrive(page, "zhangmin");
  await page.goto("/dataset");
  await expect(page).toHaveURL(/\/dataset\/dataset_show$/);
  await page.getByRole("button", { name: "新建数据集" }).first().click();
  const drawer = page.getByRole("dialog", { name: "新建数据集" });
  await drawer.getByLabel("名称").fill("digits");
  await pick(page, drawer.getByRole("combobox", { name: "内容" }), "复制网盘文件夹");
  await drawer.getByRole("textbox", { name: "来源文件夹" }).fill("/home/digits/");
  await drawer.getByLabel("标题").fill("手写数字");
  await drawer.getByRole("combobox", { name: "标签" }).fill(label.name);
  await page.getByTitle(label.name, { exact: true }).filter({ visible: true }).last().click();
  // The list takes the focus back once after a click.
  await expect(page.getByRole("option", { name: label.name })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Tab");
  await expectNoList(page);
  await drawer.getByLabel("介绍").fill("# 结构\n\n- `train` 训练\n\n<script>alert(1)</script>");
  await drawer.getByLabel("封面").fill("train/1.png");
  await drawer.getByRole("button", { name: "创建" }).click();

  await expect(page.getByRole("heading", { level: 1, name: "手写数字" })).toBeAttached();
  await expect(page.getByRole("heading", { name: "结构" })).toBeVisible();
  await expect(page.getByText("<script>alert(1)</script>")).toBeVisible();
  await expect(page.getByRole("list", { name: "文件" }).getByRole("link", { name: "train" })).toBeVisible();
  await expect(page.getByText(/· 1 个文件/)).toBeVisible();
  await expect(page.getByText("/datasets/digits", { exact: true })).toBeVisible();

  const other = await apiOf("chenyu");
  expect(await other.status("GET", "/disk/api/resources/datasets/digits")).toBe(404);
  expect(await mine.status("POST", "/disk/api/resources/datasets/digits/new", "x")).toBe(200);
  await page.getByRole("button", { name: "digits 的更多操作" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "编辑" }));
  const editing = page.getByRole("dialog", { name: "编辑数据集 digits" });
  await pick(page, editing.getByRole("combobox", { name: "可见范围" }), "所有人");
  await editing.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("已保存")).toBeVisible();
  expect(await other.status("GET", "/disk/api/resources/datasets/digits/train/1.png")).toBe(200);
  expect(await other.status("POST", "/disk/api/resources/datasets/digits/theirs", "x")).toBe(403);

  await arrive(page, "chenyu");
  await open(page, "/dataset/dataset_show", "数据集列表");
  const card = page.getByRole("list", { name: "数据集" }).getByRole("listitem").filter({ hasText: "digits" });
  await expect(card).toContainText("zhangmin");
  await pick(page, page.getByRole("combobox", { name: "类型" }), "文本");
  await expect(page.getByText("没有符合条件的结果")).toBeVisible();
});

test("a dataset is kept in versions, used in an instance, and deleted", async ({ page, api, apiOf }) => {
  await api.user({ username: "zhangmin" });
  const mine = await apiOf("zhangmin");
  const id = await dataset(mine, { name: "faces" });
  await mine.upload("/datasets/faces/a.txt", "one");
  await arrive(page, "zhangmin");
  await open(page, `/dataset/dataset_info?dataset=${id}`, "faces");
  const keep = async (note: string) => {
    await page.getByRole("button", { name: "新建版本" }).click();
    const drawer = page.getByRole("dialog", { name: "为 faces 新建版本" });
    await drawer.getByLabel("说明").fill(note);
    await drawer.getByRole("button", { name: "创建" }).click();
    await expect(drawer).toBeHidden();
  };
  const versions = page.getByRole("list", { name: "版本" });
  await keep("初版");
  await expect(versions.getByText("/datasets/faces@v1")).toBeVisible();
  await mine.upload("/datasets/faces/b.txt", "two");
  await keep("加了 b");
  await expect(versions.getByText("/datasets/faces@v2")).toBeVisible();
  await versions
    .getByRole("listitem")
    .filter({ hasText: "v2" })
    .getByRole("button", { name: "差异" })
    .click();
  const difference = page.getByRole("dialog", { name: "版本 v2 的差异" });
  await expect(difference.getByRole("list", { name: "变化的文件" }).getByRole("listitem")).toHaveText(
    /新增 b\.txt/,
  );
  await page.keyboard.press("Escape");
  await mine.expectNames("/datasets/faces@v1", ["a.txt"]);
  expect(await mine.status("DELETE", "/disk/api/resources/datasets/faces@v1/a.txt")).toBe(403);

  await page.getByRole("button", { name: "faces 的更多操作" }).click();
  await chooseEntry(page.getByRole("menuitem", { name: "删除" }));
  const deleting = page.getByRole("dialog", { name: /^删除数据集/ });
  await deleting.getByRole("textbox").fill("faces");
  await deleting.getByRole("button", { name: "删除", exact: true }).click();
  await expect(page.getByText("还没有数据集")).toBeVisible();
  await expect.poll(() => api.names("/datasets")).toEqual([]);
});
