import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { makeInstance } from "@/shared/compute/mock";
import { renderPage } from "@/shared/list/render-page";
import { worksheetLinks } from "@/shared/worksheets/api";
import { json, problem, serve } from "@/test-server";
import WorksheetsPage from "./WorksheetsPage";

const instance = makeInstance({ id: "i1", name: "ins_ann_1" });

describe("a work order that another page asks for", () => {
  it("says already what that page knows, and is sent with the instance", async () => {
    const sent: unknown[] = [];
    serve({
      "GET /api/worksheets": () =>
        json({
          Worksheets: [],
          total: 0,
          UnDoTotal: 0,
          unread: 0,
          counts: { undo: 0, doing: 0, done: 0, closed: 0 },
        }),
      "GET /api/instances": () => json({ items: [instance], total: 1 }),
      "POST /api/worksheets": async (request: Request) => {
        sent.push(await request.json());
        return problem(409, "later", "稍后再试");
      },
    });
    const at = worksheetLinks.ask("fault", {
      title: "gpu01 卡 3 故障",
      content: "服务器：gpu01\n卡 3：Xid 79",
      instance: "i1",
    });
    const { user } = renderPage(WorksheetsPage, { at, role: 0, me: 2 });
    expect(await screen.findByDisplayValue("gpu01 卡 3 故障")).toBeTruthy();
    expect(await screen.findByText("ins_ann_1")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "提交" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({
      type: "fault",
      title: "gpu01 卡 3 故障",
      content: "服务器：gpu01\n卡 3：Xid 79",
      instance: "i1",
    });
  });
});
