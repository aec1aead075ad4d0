import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, person, problem, publicSettings, serve } from "@/test-server";
import DeparturesPage from "./DeparturesPage";
import {
  decidedKinds,
  draftOf,
  emptyDraft,
  missingOf,
  newThings,
  openItems,
  planOf,
  planWith,
  summaryOf,
} from "./draft";
import LeavingPage from "./LeavingPage";
import { departure, failedDetail, holdings, item, plan } from "./mock";

const zhang = { ...person(2), id: 2, username: "zhangmin", name: "张敏" };
const lijia = { id: 3, username: "lijia", name: "李佳", avatar: "" };

type Answers = Parameters<typeof serve>[0];

const common: Answers = {
  "GET /api/settings/public": () => json(publicSettings),
  "GET /api/users": () => json({ items: [zhang], total: 1 }),
  "GET /api/users/public": () => json({ items: [lijia], total: 1 }),
  "GET /api/users/3": () => json({ ...person(2), ...lijia }),
  "GET /api/departures/holdings/2": () => json(holdings),
  "GET /disk/api/usage/home/zhangmin": () => json({ total: 1, used: 2 * 1024 ** 3, quota: 0, datasets: 0 }),
};

function leave(answers: Answers = {}, at = "/users/leaving?name=zhangmin") {
  const server = serve({ ...common, ...answers });
  return { server, ...renderPage(LeavingPage, { at }) };
}

async function choose(user: ReturnType<typeof leave>["user"], box: HTMLElement, option: RegExp | string) {
  await user.click(box);
  const found = await screen.findAllByText(option);
  const last = found.at(-1);
  if (!last) throw new Error(`no option ${option}`);
  await user.click(last);
}

describe("办理离开", () => {
  it("lists what the person has, and waits for somebody to take it over", async () => {
    leave();
    const list = within(await screen.findByRole("list", { name: "zhangmin 拥有的资源" }));
    expect(list.getByText("实例 2 个")).toBeTruthy();
    expect(list.getByText("数据集 1 个")).toBeTruthy();
    expect(list.queryByText(/镜像/)).toBeNull();
    expect(await list.findByText("网盘 home/zhangmin，2.00 GB")).toBeTruthy();
    expect(screen.getByText(/分享链接不能移交，.*全部失效.*；1 个没办完的工单会关闭/)).toBeTruthy();
    const button = screen.getByRole("button", { name: "开始办理" });
    expect(button.hasAttribute("disabled")).toBe(true);
    expect(screen.getByText("请选择接手的人")).toBeTruthy();
  });

  it("begins after the name has been typed, with the plan that was shown", async () => {
    const { user, server, router } = leave({
      "POST /api/departures": () => json({ ...departure(), items: [] }, 202),
    });
    await choose(user, await screen.findByRole("combobox", { name: "接手的人" }), "李佳 lijia");
    await user.click(screen.getByRole("button", { name: "开始办理" }));
    const question = (await screen.findByText("办理 zhangmin 的离开？")).closest<HTMLElement>(
      '[role="dialog"]',
    );
    if (!question) throw new Error("no question");
    const dialog = within(question);
    expect(dialog.getByText("2 个实例：释放")).toBeTruthy();
    expect(dialog.getByText("1 个数据集：移交")).toBeTruthy();
    await user.type(dialog.getByRole("textbox"), "zhangmin");
    await user.click(dialog.getByRole("button", { name: "开始办理" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/users/departures"));
    const sent = server.calls.find(({ key }) => key === "POST /api/departures");
    expect(JSON.parse(sent?.body ?? "")).toEqual({
      user: 2,
      when: "now",
      stamp: holdings.stamp,
      plan: {
        instances: { action: "delete", receiver: null },
        datasets: { action: "hand_over", receiver: 3 },
        images: { action: "delete", receiver: null },
        groups: { action: "keep", receiver: null },
        files: { action: "hand_over", receiver: 3 },
        exceptions: [],
      },
    });
  });

  it("says what has changed since, and keeps the plan", async () => {
    const words = "此人的实例、数据集、镜像或用户组刚刚变化，请核对后再提交";
    const { user } = leave({ "POST /api/departures": () => problem(409, "holdings_changed", words) });
    await choose(user, await screen.findByRole("combobox", { name: "接手的人" }), "李佳 lijia");
    await user.click(screen.getByRole("button", { name: "开始办理" }));
    const question = (await screen.findByText("办理 zhangmin 的离开？")).closest<HTMLElement>(
      '[role="dialog"]',
    );
    if (!question) throw new Error("no question");
    await user.type(within(question).getByRole("textbox"), "zhangmin{Enter}");
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.queryByText("请选择接手的人")).toBeNull();
  });

  it("shows one that is under way instead of another plan", async () => {
    const held = { ...holdings, departure: departure() };
    leave({ "GET /api/departures/holdings/2": () => json(held) });
    expect(await screen.findByText("admin 已在办理：办理中，完成 1 / 3 项")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "开始办理" })).toBeNull();
  });

  it("offers the end of the account only where there is one", async () => {
    leave();
    const later = await screen.findByRole("radio", { name: /账号到期时/ });
    expect(later.hasAttribute("disabled")).toBe(true);
  });

  it("names who is not there, and says so when nobody was chosen", async () => {
    leave({ "GET /api/users": () => json({ items: [], total: 0 }) });
    expect(await screen.findByText("没有这些用户：zhangmin，可能已经删除")).toBeTruthy();
  });

  it("says that nobody was chosen", async () => {
    leave({}, "/users/leaving");
    expect(await screen.findByText("没有选择要离开的人")).toBeTruthy();
  });

  it("says what did not come and tries again", async () => {
    let down = true;
    const { user } = leave({
      "GET /api/departures/holdings/2": () =>
        down ? problem(500, "internal", "数据库没有回应") : json(holdings),
    });
    expect(await screen.findByText("拥有的资源没有取到")).toBeTruthy();
    down = false;
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("数据集 1 个")).toBeTruthy();
  });
});

describe("人员离开", () => {
  beforeEach(() => vi.restoreAllMocks());

  function look(answers: Answers = {}, at = "/users/departures") {
    const one = departure({ state: "failed", failed: 1 });
    const server = serve({
      ...common,
      "GET /api/departures": () => json({ items: [one], total: 1 }),
      "GET /api/departures/p1": () => json(failedDetail),
      ...answers,
    });
    return { server, ...renderPage(DeparturesPage, { at }) };
  }

  it("lists everybody with how far it is", async () => {
    look();
    const table = within(await screen.findByRole("table", { name: "人员离开" }));
    expect(table.getByText("有失败项")).toBeTruthy();
    expect(table.getByText("完成 1 / 3 项，1 项失败")).toBeTruthy();
  });

  it("says why something failed, and tries again with somebody else", async () => {
    const { user, server } = look({
      "POST /api/departures/p1/retry": () => json({ ...failedDetail, state: "running" }, 202),
    });
    await user.click(await screen.findByRole("button", { name: "查看 zhangmin 的离开" }));
    const items = within(await screen.findByRole("list", { name: "各项进展" }));
    expect(items.getByText(/接手的人 lijia 已不存在/)).toBeTruthy();
    await choose(user, screen.getByRole("combobox", { name: "换一个接手的人（可不选）" }), "李佳 lijia");
    await user.click(screen.getByRole("button", { name: "重试" }));
    expect(await screen.findByText("已重新开始办理")).toBeTruthy();
    const sent = server.calls.find(({ key }) => key === "POST /api/departures/p1/retry");
    expect(JSON.parse(sent?.body ?? "").plan.files).toEqual({ action: "hand_over", receiver: 3 });
  });

  it("changes what has not begun while it goes on", async () => {
    const waiting = item({ number: 2, kind: "files", object: "", name: "zhangmin", state: "waiting" });
    const items = [item({}), waiting];
    const going = { ...departure(), items };
    const { user, server } = look(
      {
        "GET /api/departures/p1": () => json(going),
        "POST /api/departures/p1/retry": () => json(going, 202),
      },
      "/users/departures?panel=detail&id=p1",
    );
    await user.click(await screen.findByRole("button", { name: "修改没有开始的项" }));
    const save = await screen.findByRole("button", { name: "保存修改" });
    expect(save.hasAttribute("disabled")).toBe(true);
    const files = screen.getByRole("combobox", { name: "个人文件夹 zhangmin 的处理方式" });
    await choose(user, files, "留在原处，只有管理员能看");
    await user.click(screen.getByRole("button", { name: "保存修改" }));
    expect(await screen.findByText("已修改，继续办理")).toBeTruthy();
    const sent = server.calls.find(({ key }) => key === "POST /api/departures/p1/retry");
    expect(JSON.parse(sent?.body ?? "").plan.files).toEqual({ action: "keep", receiver: null });
  });

  it("hands the reader the file that says what happened", async () => {
    const saved = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:x");
    const csv = () => new Response("\uFEFF类别", { headers: { "content-type": "text/csv" } });
    const { user, server } = look(
      { "GET /api/departures/p1/file": csv },
      "/users/departures?panel=detail&id=p1",
    );
    await user.click(await screen.findByRole("button", { name: "下载结果" }));
    await waitFor(() => expect(server.count("GET /api/departures/p1/file")).toBe(1));
    await waitFor(() => expect(saved).toHaveBeenCalled());
  });
});

describe("a plan", () => {
  it("asks for nobody where nothing is handed over", () => {
    const kinds = { ...emptyDraft.kinds, dataset: { action: "delete" }, files: { action: "keep" } } as const;
    expect(missingOf(planOf({ ...emptyDraft, kinds }, holdings, false))).toBeUndefined();
    expect(missingOf(planOf(emptyDraft, holdings, false))).toBe("请选择接手的人");
  });

  it("for the end of the account decides on what may come until then", () => {
    const draft = { ...emptyDraft, receiver: 3 };
    expect(planOf(draft, holdings, false).images).toEqual({ action: "delete", receiver: null });
    expect(planOf(draft, holdings, true).images).toEqual({ action: "hand_over", receiver: 3 });
    expect(decidedKinds(holdings, true)).toContain("image");
    expect(decidedKinds(holdings, false)).not.toContain("image");
  });

  it("keeps what is dealt with apart only while it is there", () => {
    const exceptions = {
      i1: { kind: "instance", action: "save", receiver: 4 },
      gone: { kind: "image", action: "delete" },
    } as const;
    const draft = { ...emptyDraft, receiver: 3, exceptions };
    expect(planOf(draft, holdings, false).exceptions).toEqual([
      { kind: "instance", object: "i1", action: "save", receiver: 4 },
    ]);
    expect(summaryOf(draft, holdings)[0]).toBe("2 个实例：释放（1 个单独处理）");
  });

  it("comes back as it was kept", () => {
    const kept = draftOf(departure({ state: "planned" }));
    expect(planOf(kept, holdings, true).datasets).toEqual(plan.datasets);
  });

  it("with somebody else touches only what is handed over", () => {
    const other = planWith(9, failedDetail);
    expect(other.files).toEqual({ action: "hand_over", receiver: 9 });
    expect(other.instances).toEqual({ action: "delete", receiver: null });
  });

  it("deals otherwise with what failed alone", () => {
    const image = item({ number: 4, kind: "image", object: "m1", action: "delete", state: "failed" });
    const stuck = { ...failedDetail, items: [...failedDetail.items, image] };
    expect(openItems(stuck).map(({ number, choice }) => [number, choice.receiver])).toEqual([
      [2, 3],
      [4, undefined],
    ]);
    const other = planWith(undefined, stuck, {
      2: { action: "keep" },
      4: { action: "hand_over", receiver: 9 },
    });
    expect(other.files).toEqual({ action: "keep", receiver: null });
    expect(other.datasets).toEqual(plan.datasets);
    expect(other.exceptions).toEqual([{ kind: "image", object: "m1", action: "hand_over", receiver: 9 }]);
    expect(missingOf(planWith(undefined, stuck, { 4: { action: "hand_over" } }))).toBe("请选择接手的人");
  });

  it("deals with what came later only as it was chosen", () => {
    const later = newThings(failedDetail, holdings);
    expect(later.map(({ kind, id }) => [kind, id])).toEqual([
      ["instance", "i1"],
      ["instance", "i2"],
    ]);
    expect(newThings(failedDetail, undefined)).toEqual([]);
    const added = { i2: { kind: "instance", action: "save" } } as const;
    expect(planWith(9, failedDetail, {}, added).exceptions).toEqual([
      { kind: "instance", object: "i2", action: "save", receiver: 9 },
    ]);
    expect(missingOf(planWith(undefined, failedDetail, {}, added))).toBe("请选择接手的人");
    expect(planWith(9, failedDetail).exceptions).toEqual([]);
  });
});
