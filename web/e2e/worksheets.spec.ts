// Work orders between the people who ask and those who do them.
import { arrive, expect, open, pick, test } from "./fixtures/test";

const address = "/profile/worksheet";

test("S013 S096 S097 S331 a request for quotas is filed, talked about, approved, and is the change", async ({
  api,
  page,
  visitor,
}) => {
  const zhang = await api.user({ username: "zhangmin", name: "张敏", instanceLimit: 3 });
  await arrive(page, "zhangmin");
  await open(page, "/dashboard", "首页");
  await page.getByRole("button", { name: /账号菜单/ }).click();
  await page.getByRole("menuitem", { name: "工单系统" }).click();
  await expect(page).toHaveURL(address);

  await page.getByRole("button", { name: "新建", exact: true }).click();
  const asking = page.getByRole("dialog", { name: "新建工单" });
  await asking.getByLabel("标题").fill("申请增加实例名额");
  await expect(asking.getByRole("spinbutton", { name: "实例" })).toHaveAttribute("placeholder", "现在 3");
  await asking.getByRole("spinbutton", { name: "实例" }).fill("6");
  await asking.getByLabel("说明").fill("投稿前要多跑几组消融实验");
  await asking.getByRole("button", { name: "提交" }).click();
  await expect(page.getByText("工单 #1 已提交")).toBeVisible();
  await expect(page.getByRole("region", { name: "工单 #1" })).toContainText("申请增加实例名额");

  // The administrator sees it without asking again: the badge, the list, the order.
  const office = await visitor();
  await arrive(office);
  await open(office, "/dashboard", "首页");
  await expect(office.getByRole("button", { name: /账号菜单，1 个工单/ })).toBeVisible();
  await office.getByRole("link", { name: /申请增加实例名额/ }).click();
  const order = office.getByRole("region", { name: "工单 #1" });
  await expect(order.getByRole("table", { name: "申请的配额" })).toContainText("3 个6 个");
  await order.getByRole("textbox", { name: "回复" }).fill("先给 5 个，够吗？");
  await order.getByRole("button", { name: "发送" }).click();
  await expect(order.getByText("待处理 → 处理中")).toBeVisible();

  // Over the broadcast, on the page that is still open.
  const thread = page.getByRole("log", { name: "对话" });
  await expect(thread.getByText("先给 5 个，够吗？")).toBeVisible();
  await page.getByRole("textbox", { name: "回复" }).fill("够了，谢谢");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(order.getByText("够了，谢谢")).toBeVisible();

  await order.getByRole("button", { name: "批准" }).click();
  const approving = office.getByRole("dialog", { name: "批准 张敏 的申请" });
  await expect(approving.getByRole("spinbutton", { name: "实例", exact: true })).toHaveValue("6");
  await approving.getByRole("spinbutton", { name: "实例", exact: true }).fill("5");
  await approving.getByRole("button", { name: "批准并生效" }).click();
  await expect(order.getByText("已批准：实例 3 → 5")).toBeVisible();
  await expect(order.getByRole("button", { name: "批准" })).toHaveCount(0);
  await expect(thread.getByText("已批准：实例 3 → 5")).toBeVisible();
  const user: { instanceLimit: number } = await api.get(`/api/users/${zhang.id}`);
  expect(user.instanceLimit).toBe(5);
});

test("files of the network disk go with a request, also one that is uploaded for it", async ({
  api,
  disk,
  page,
  visitor,
}) => {
  await disk.upload("/home/报错.log", "Xid 79");
  await arrive(page, "zhangmin");
  await open(page, `${address}?panel=new&ask=fault`, "工单系统");
  const asking = page.getByRole("dialog", { name: "新建工单" });
  await asking.getByLabel("标题").fill("卡 3 显存报错");
  await asking.getByLabel("说明").fill("训练到一半就停了");
  await asking.getByRole("button", { name: "添加附件" }).click();
  const choosing = page.getByRole("dialog", { name: "选择附件" });
  await choosing.getByLabel("要上传的文件").setInputFiles({
    name: "截图.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("nvidia-smi"),
  });
  await choosing.getByRole("option", { name: "截图.txt" }).click();
  await choosing.getByRole("button", { name: "选择" }).click();
  await asking.getByRole("button", { name: "添加附件" }).click();
  await choosing.getByRole("option", { name: "报错.log" }).dblclick();
  await asking.getByRole("button", { name: "提交" }).click();
  await page.getByRole("link", { name: "截图.txt" }).click();
  await expect(page).toHaveURL(/\/netdisk\/files\/home\/%E6%88%AA%E5%9B%BE\.txt$/);
  await expect(page.getByText("nvidia-smi")).toBeVisible();

  const office = await visitor();
  await arrive(office);
  await open(office, address, "工单系统");
  await office.getByRole("button", { name: /卡 3 显存报错/ }).click();
  await office.getByRole("link", { name: "报错.log" }).click();
  await expect(office).toHaveURL(/\/netdisk\/files\/home\/zhangmin\//);
  await expect(office.getByText("Xid 79")).toBeVisible();
  const log: { total: number } = await api.get("/api/logs/operate?action=worksheet.create");
  expect(log.total).toBe(1);
});

test("a refusal says why; the list finds, filters and deletes", async ({ api, apiOf, page }) => {
  await api.user({ username: "zhangmin", name: "张敏" });
  const mine = await apiOf("zhangmin");
  const cards = { count: 1, mode: "shared" };
  await mine.post("/api/worksheets", { type: "cards", title: "申请一张卡", content: "调试", cards });
  await mine.post("/api/worksheets", {
    type: "other",
    title: "换个显示器",
    content: "坏了",
    priority: "urgent",
  });
  await arrive(page);
  await open(page, address, "工单系统");
  const list = page.getByRole("region", { name: "工单列表" });
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await pick(page, list.getByRole("combobox", { name: "类型" }), "显卡申请");
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await list.getByRole("button", { name: /申请一张卡/ }).click();
  await page.getByRole("button", { name: "驳回" }).click();
  const refusing = page.getByRole("dialog", { name: "驳回 张敏 的申请" });
  await refusing.getByRole("button", { name: "驳回" }).click();
  await expect(refusing.getByText("请填写原因")).toBeVisible();
  await refusing.getByLabel("原因").fill("本月显卡已排满");
  await refusing.getByRole("button", { name: "驳回" }).click();
  await expect(page.getByText("已驳回：本月显卡已排满")).toBeVisible();
  await expect(page.getByText("工单已关闭，不能再回复")).toBeVisible();
  await list
    .getByText(/^已关闭/)
    .first()
    .click();
  await list.getByRole("button", { name: /申请一张卡/ }).click();
  await page.getByRole("button", { name: "更多操作" }).click();
  await page.getByRole("menuitem", { name: "删除工单" }).click();
  await page.getByRole("dialog", { name: "删除工单 #1？" }).getByRole("button", { name: "删除" }).click();
  await expect(page.getByText("工单已删除")).toBeVisible();
  await expect(list.getByRole("listitem")).toHaveCount(0);
});

test("what is written to an order and not sent yet is still there after another one was looked at", async ({
  api,
  apiOf,
  disk,
  page,
}) => {
  await disk.upload("/home/报错.log", "Xid 79");
  const mine = await apiOf("zhangmin");
  for (const title of ["显示器坏了", "键盘坏了"])
    await mine.post("/api/worksheets", { type: "other", title, content: "请换一个" });
  await arrive(page, "zhangmin");
  await open(page, address, "工单系统");
  const list = page.getByRole("region", { name: "工单列表" });
  const reply = page.getByRole("textbox", { name: "回复" });
  await list.getByRole("button", { name: /显示器坏了/ }).click();
  await reply.fill("型号是 U2723");
  await page.getByRole("button", { name: "添加附件" }).click();
  await page.getByRole("dialog", { name: "选择附件" }).getByRole("option", { name: "报错.log" }).dblclick();
  await list.getByRole("button", { name: /键盘坏了/ }).click();
  await expect(reply).toHaveValue("");
  await expect(page.getByRole("button", { name: "移除附件 报错.log" })).toHaveCount(0);
  await list.getByRole("button", { name: /显示器坏了/ }).click();
  await expect(reply).toHaveValue("型号是 U2723");
  await expect(page.getByRole("button", { name: "移除附件 报错.log" })).toBeVisible();
  await page.getByRole("button", { name: "发送" }).click();
  await expect(page.getByRole("log", { name: "对话" }).getByText("型号是 U2723")).toBeVisible();
  await expect(reply).toHaveValue("");
  await list.getByRole("button", { name: /键盘坏了/ }).click();
  await list.getByRole("button", { name: /显示器坏了/ }).click();
  await expect(reply).toHaveValue("");
  const log: { total: number } = await api.get("/api/logs/operate?action=worksheet.reply");
  expect(log.total).toBe(1);
});
