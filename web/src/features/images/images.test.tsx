import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import ImageManagePage from "./ImageManagePage";
import ImageShowPage from "./ImageShowPage";
import { makeImage, makeJob } from "./mock";
import { ways } from "./prepare";

const page = (items: unknown[]) => () => json({ items, total: items.length });

describe("公共镜像库", () => {
  const unset = () => problem(409, "public_image_url_unset", "公开镜像库访问url未设置，请设置");

  it("S054 S264 says that the address is not set, and leads administrators to where it is", async () => {
    serve({ "GET /api/images/public": unset });
    const { user, router } = renderPage(ImageShowPage, { at: "/images/image_show" });
    expect(await screen.findByText("公开镜像库访问url未设置，请设置")).toBeTruthy();
    await user.click(screen.getByRole("link", { name: "去设置" }));
    expect(router.state.location.pathname).toBe("/settings/basic_setting");
  });

  it("others are told whom to ask", async () => {
    serve({ "GET /api/images/public": unset });
    renderPage(ImageShowPage, { at: "/images/image_show", role: 2 });
    expect(await screen.findByText("请联系管理员")).toBeTruthy();
    expect(screen.queryByRole("link", { name: "去设置" })).toBeNull();
  });
});

describe("镜像管理", () => {
  function start(answers: Parameters<typeof serve>[0] = {}, role = 1) {
    const { calls } = serve({
      "GET /api/images": page([makeImage({})]),
      "GET /api/images/jobs": page([makeJob({ state: "running", percent: 42 })]),
      ...answers,
    });
    return { calls, ...renderPage(ImageManagePage, { at: "/images/image_manage", role }) };
  }

  it("S055 shows images and the work on them, which can be cancelled", async () => {
    const { calls, user } = start({
      "DELETE /api/images/jobs/j1": () => json(makeJob({ state: "cancelled" }), 202),
    });
    expect(await screen.findByText("yunlab/zhangmin/detr:v1")).toBeTruthy();
    expect(await screen.findByText("42%")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "取消拉取 pytorch:2.4" }));
    await waitFor(() => expect(calls.map(({ key }) => key)).toContain("DELETE /api/images/jobs/j1"));
  });

  it("an image in use is not deleted, and its users are named", async () => {
    const { user } = start({
      "GET /api/images/m1/deletion": () => json({ bytes: 0, instances: ["ins_a_GPU12345"], left: [] }),
    });
    await user.click(await screen.findByRole("button", { name: /的更多操作$/ }));
    await user.click(await screen.findByRole("menuitem", { name: "删除" }));
    expect(await screen.findByText(/还有 1 个实例在用它：ins_a_GPU12345/)).toBeTruthy();
  });

  it("only administrators build", async () => {
    start({}, 2);
    expect(await screen.findByText("yunlab/zhangmin/detr:v1")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "构建镜像" })).toBeNull();
  });
});

/** tests/tests/it/joins/by_hand.rs runs them. */
it("the commands for the first images are those that are run by a test", async () => {
  const shown = ways.map(({ title, steps }) => ({
    title,
    commands: steps.flatMap(({ command }) => command ?? []),
  }));
  await expect(`${JSON.stringify(shown, null, 2)}\n`).toMatchFileSnapshot("prepare-commands.snap");
});
