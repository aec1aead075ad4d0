import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { MyInstances } from "@/shared/compute/MyInstances";
import { makeInstance } from "@/shared/compute/mock";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
import ManagePage from "./ManagePage";

const running = makeInstance({ id: "i1", name: "ins_zhangmin_GPUaaaaa" });
const stopped = makeInstance({ id: "i2", name: "ins_zhangmin_GPUbbbbb", state: "stopped" });
const taken = makeInstance({ id: "i3", name: "ins_lijia_GPUccccc", state: "stopped" });

const Mine = () => <MyInstances />;

function start(Page: typeof ManagePage = ManagePage) {
  const bodies: unknown[] = [];
  serve({
    "GET /api/instances": () => json({ items: [running, stopped, taken], total: 3 }),
    "GET /api/servers": () => json({ items: [], total: 0 }),
    "GET /api/users/public": () => json({ items: [], total: 0 }),
    "POST /api/instances/batch": async (request: Request) => {
      const body: { action: string; ids: string[] } = JSON.parse(await request.text());
      bodies.push(body);
      const refused = body.ids
        .filter((id) => id === "i3" && body.action === "start")
        .map((id) => ({ id, code: "gpu_unavailable", message: "0 号卡已被占用" }));
      const done = [running, stopped, taken].filter(
        ({ id }) => body.ids.includes(id) && !refused.some((one) => one.id === id),
      );
      return json({ done, refused });
    },
  });
  return { bodies, ...renderPage(Page, { at: "/servers/instance_manage" }) };
}

async function choose(user: ReturnType<typeof start>["user"], ...names: string[]) {
  for (const name of names) await user.click(await screen.findByRole("checkbox", { name: `选择 ${name}` }));
}

const bar = () => within(screen.getByRole("region", { name: "批量操作" }));

describe("several instances at once", () => {
  it("starts those that can be started in one call, and keeps the reasons on the page until they are closed", async () => {
    const { bodies, user } = start();
    await choose(user, running.name, stopped.name, taken.name);
    await user.click(bar().getByRole("button", { name: "启动" }));
    const dialogue = within(await screen.findByRole("dialog"));
    expect(dialogue.getByText("1 个实例没有启动")).toBeTruthy();
    expect(dialogue.getByText(taken.name)).toBeTruthy();
    expect(dialogue.getByText("0 号卡已被占用")).toBeTruthy();
    expect(bodies).toEqual([{ action: "start", ids: ["i2", "i3"] }]);
    await user.click(dialogue.getByRole("button", { name: "知道了" }));
    expect(await screen.findByText("已选 1 个")).toBeTruthy();
  });

  it("releases only after the number is typed", async () => {
    const { bodies, user } = start();
    await choose(user, stopped.name, taken.name);
    expect(bar().getByRole("button", { name: "停止" })).toHaveProperty("disabled", true);
    await user.click(bar().getByRole("button", { name: "释放" }));
    const dialogue = within(await screen.findByRole("dialog"));
    await user.type(dialogue.getByRole("textbox"), "释放 2 个");
    await user.click(dialogue.getByRole("button", { name: "释放" }));
    await waitFor(() => expect(bodies).toEqual([{ action: "release", ids: ["i2", "i3"] }]));
  });

  it("is there for one's own list as well", async () => {
    const { bodies, user } = start(Mine);
    await choose(user, running.name);
    await user.click(bar().getByRole("button", { name: "停止" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "停止" }));
    await waitFor(() => expect(bodies).toEqual([{ action: "stop", ids: ["i1"] }]));
  });
});
