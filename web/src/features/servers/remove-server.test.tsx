import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { ServerView } from "@/shared/compute/api";
import { renderPage } from "@/shared/list/render-page";
import { problem, serve } from "@/test-server";
import { RemoveServer } from "./RemoveServer";

const online: ServerView = {
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
const lost: ServerView = { ...online, state: "unreachable" };

const OnlinePage = () => <RemoveServer server={online} open onClose={() => undefined} />;
const LostPage = () => <RemoveServer server={lost} open onClose={() => undefined} />;

function start(Page: typeof LostPage, answer = () => new Response(null, { status: 204 })) {
  const asked: string[] = [];
  serve({
    "DELETE /api/servers/s1": (request: Request) => {
      asked.push(new URL(request.url).search);
      return answer();
    },
  });
  return { asked, ...renderPage(Page, { at: "/manage" }) };
}

const dialogue = async () => within(await screen.findByRole("dialog", { name: "移除服务器 gpu01？" }));

describe("removing a server", () => {
  it("offers to give up only one that does not answer", async () => {
    start(OnlinePage);
    expect((await dialogue()).queryByRole("checkbox")).toBeNull();
  });

  it("releases what was on a lost one when that is ticked", async () => {
    const { asked, user } = start(LostPage);
    const shown = await dialogue();
    await user.click(shown.getByRole("checkbox", { name: /服务器不会再恢复/ }));
    await user.type(shown.getByRole("textbox"), "gpu01");
    await user.click(shown.getByRole("button", { name: "移除" }));
    await waitFor(() => expect(asked).toEqual(["?givenUp=true"]));
  });

  it("says why it is refused", async () => {
    const words = "服务器 gpu01 在 10 分钟之内还有应答，请先释放上面的实例";
    const { asked, user } = start(LostPage, () => problem(409, "server_answers", words));
    const shown = await dialogue();
    await user.type(shown.getByRole("textbox"), "gpu01");
    await user.click(shown.getByRole("button", { name: "移除" }));
    expect(await screen.findByText(words)).toBeTruthy();
    expect(asked).toEqual([""]);
  });
});
