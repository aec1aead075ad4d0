import { screen, waitFor, within } from "@testing-library/react";
import dayjs from "dayjs";
import { describe, expect, it } from "vitest";
import type { ServerView } from "@/shared/compute/api";
import { standingOf } from "@/shared/compute/counts";
import { serverLook, whyClosed } from "@/shared/compute/server-state";
import { whenText } from "@/shared/compute/text";
import { renderPage } from "@/shared/list/render-page";
import { json, problem, serve } from "@/test-server";
import { DrainActions } from "./DrainActions";

const at = dayjs().add(2, "day").hour(18).minute(0).second(0).millisecond(0);

const open: ServerView = {
  id: "s1",
  name: "gpu01",
  publicHost: "gpu01.lab",
  state: "online",
  schedulable: true,
  maintenanceNote: "",
  local: false,
  gpus: [],
  runningInstances: 2,
};
const draining: ServerView = { ...open, drain: { at: at.toISOString(), note: "换电源" } };

const OpenPage = () => <DrainActions server={open} />;
const DrainingPage = () => <DrainActions server={draining} />;

function start(Page: typeof OpenPage, refuse = false) {
  const asked: { key: string; body: unknown }[] = [];
  const take = (key: string) => async (request: Request) => {
    const text = await request.text();
    asked.push({ key, body: text === "" ? null : JSON.parse(text) });
    return refuse ? problem(422, "invalid", "时间应在一年之内，且晚于现在") : json(open);
  };
  serve({
    "POST /api/servers/s1/drain": take("POST"),
    "DELETE /api/servers/s1/drain": take("DELETE"),
  });
  return { asked, ...renderPage(Page, { at: "/servers/server_detail/s1" }) };
}

describe("a server that is being emptied", () => {
  it("says until when and why, and takes nothing new", () => {
    const words = `将于 ${whenText(at.toISOString())} 停机维护：换电源`;
    expect(serverLook(draining)).toMatchObject({ label: "排空中", tone: "warning", note: words });
    expect(whyClosed(draining)).toBe(`排空中：${words}`);
    expect(standingOf(draining)).toBe("maintenance");
    expect(whyClosed(open)).toBeUndefined();
  });

  it("is taken back with one click", async () => {
    const { asked, user } = start(DrainingPage);
    await user.click(await screen.findByRole("button", { name: "结束排空" }));
    await waitFor(() => expect(asked).toEqual([{ key: "DELETE", body: null }]));
  });

  it("gets another note, and shows why that was refused", async () => {
    const { asked, user } = start(DrainingPage, true);
    await user.click(await screen.findByRole("button", { name: "修改排空" }));
    const dialogue = within(await screen.findByRole("dialog"));
    const note = dialogue.getByRole("textbox", { name: "说明" });
    await user.clear(note);
    await user.type(note, "换风扇");
    await user.click(dialogue.getByRole("button", { name: "排空" }));
    expect(await dialogue.findByText("时间应在一年之内，且晚于现在")).toBeTruthy();
    expect(asked).toEqual([{ key: "POST", body: { at: at.toISOString(), note: "换风扇" } }]);
  });

  it("needs a moment", async () => {
    const { asked, user } = start(OpenPage);
    expect(screen.queryByRole("button", { name: "结束排空" })).toBeNull();
    await user.click(await screen.findByRole("button", { name: "排空" }));
    const dialogue = within(await screen.findByRole("dialog"));
    await user.click(dialogue.getByRole("button", { name: "排空" }));
    expect(await dialogue.findByText("请选择时间")).toBeTruthy();
    expect(asked).toEqual([]);
  });
});
