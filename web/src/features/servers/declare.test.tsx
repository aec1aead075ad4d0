import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, serve } from "@/test-server";
import { DeclareGpus } from "./DeclareGpus";

const start = (others: Parameters<typeof serve>[0]) => {
  const server = serve(others);
  return { server, ...renderPage(() => <DeclareGpus server="s1" />, { at: "/servers/server_manage" }) };
};

const type = (name: string, text: string) => async (user: ReturnType<typeof start>["user"]) => {
  const field = screen.getByRole("textbox", { name });
  await user.click(field);
  await user.paste(text);
};

const bodyOf = (calls: readonly { key: string; body: string }[], key: string) =>
  JSON.parse(calls.find((call) => call.key === key)?.body ?? "null");

describe("declaring cards", () => {
  it("declares equal cards by one call", async () => {
    const { server, user } = start({
      "POST /api/gpus/batch": () => json({ items: [{}, {}, {}, {}], total: 4 }, 201),
    });
    await type("型号", "昇腾 910B")(user);
    await type("编号", "0-3")(user);
    await type("设备节点", "/dev/davinci{n}\n/dev/davinci_manager")(user);
    await user.click(screen.getByRole("button", { name: "登记 4 张" }));
    expect(await screen.findByText("已登记 4 张卡")).toBeTruthy();
    expect(bodyOf(server.calls, "POST /api/gpus/batch")).toEqual({
      server: "s1",
      model: "昇腾 910B",
      memoryTotal: 0,
      numbers: [0, 1, 2, 3],
      deviceNodes: ["/dev/davinci{n}", "/dev/davinci_manager"],
    });
  });

  it("declares one without a number", async () => {
    const { server, user } = start({ "POST /api/gpus": () => json({ index: 2 }, 201) });
    await type("型号", "MI300X")(user);
    await type("设备节点", "/dev/dri/renderD128")(user);
    await user.click(screen.getByRole("button", { name: "登记" }));
    expect(await screen.findByText("已登记卡 2")).toBeTruthy();
    expect(bodyOf(server.calls, "POST /api/gpus")).not.toHaveProperty("numbers");
  });

  it("says what numbers are", async () => {
    const { user } = start({});
    await type("编号", "3-0")(user);
    await user.click(screen.getByRole("button", { name: "登记" }));
    expect(await screen.findByText(/例如 0-3，或 0-3,6/)).toBeTruthy();
  });
});
