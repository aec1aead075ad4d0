import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { clearSession } from "@/shared/stores/session";
import { json, signedIn } from "@/test-server";
import FilesPage from "../FilesPage";
import { done, giveHeight, refusal, serveDisk } from "../mock";

const deleted = (id: string) => ({
  id,
  path: `/home/${id}.txt`,
  name: `${id}.txt`,
  isDir: false,
  size: 3,
  used: 4096,
  deleted: "2026-11-20T10:00:00.000Z",
  deletedBy: "zhangmin",
  expires: "2026-12-20T10:00:00.000Z",
});

/** Another user has removed `b` from the bin since the page fetched its content. */
function start(answers: Parameters<typeof serveDisk>[0]) {
  const left = ["a", "b", "c"];
  serveDisk({
    "GET /disk/api/trash": () => json({ items: left.map(deleted), total: left.length, keepDays: 30 }),
    ...answers,
  });
  return { left, ...renderPage(FilesPage, { at: "/netdisk/files/?place=trash", role: 2, me: 7 }) };
}

async function chooseAll(user: ReturnType<typeof start>["user"]) {
  await screen.findByText("c.txt");
  await user.click(screen.getByRole("checkbox", { name: "选择本页全部" }));
}

/** In the bar over the list; the rows have a button of the same name. */
async function restoreChosen(user: ReturnType<typeof start>["user"]) {
  const bar = await screen.findByRole("region", { name: "批量操作" });
  await user.click(within(bar).getByRole("button", { name: "恢复" }));
}

beforeEach(() => {
  clearSession();
  signedIn(2);
  giveHeight();
});

describe("the recycle bin", () => {
  it("purges the others, and says so, when one of several has gone already", async () => {
    const gone = () => refusal(404, "404 Not Found");
    const { left, user } = start({
      "DELETE /disk/api/trash/a": () => {
        left.length = 0;
        return done();
      },
      "DELETE /disk/api/trash/b": gone,
      "DELETE /disk/api/trash/c": done,
    });
    await chooseAll(user);
    await user.click(screen.getByRole("button", { name: "彻底删除" }));
    const prompt = await screen.findByRole("dialog", { name: "彻底删除 选中的 3 项？" });
    await user.click(within(prompt).getByRole("button", { name: "彻底删除" }));
    expect(await screen.findByText("已彻底删除 3 项")).toBeTruthy();
    expect(await screen.findByText("回收站是空的")).toBeTruthy();
  });

  it("restores the others, and names the one that has gone already", async () => {
    const { left, user } = start({
      "POST /disk/api/trash/a/restore": () => {
        left.length = 0;
        return json({ path: "/home/a.txt" });
      },
      "POST /disk/api/trash/b/restore": () => refusal(404, "404 Not Found"),
      "POST /disk/api/trash/c/restore": () => json({ path: "/home/c.txt" }),
    });
    await chooseAll(user);
    await restoreChosen(user);
    expect(await screen.findByText("恢复失败：b.txt：已不在回收站里；其余 2 项已恢复")).toBeTruthy();
    await waitFor(() => expect(screen.queryByText("a.txt")).toBeNull());
  });

  it("says of several with taken names how many have another name now", async () => {
    let asked = 0;
    const taken = (request: Request) => {
      asked++;
      const renames = new URL(request.url).searchParams.get("rename") === "true";
      return renames ? json({ path: "/home/x(1).txt" }) : refusal(409, "409 Conflict (exists)");
    };
    const { user } = start({
      "POST /disk/api/trash/a/restore": taken,
      "POST /disk/api/trash/b/restore": taken,
      "POST /disk/api/trash/c/restore": () => json({ path: "/home/c.txt" }),
    });
    await chooseAll(user);
    await restoreChosen(user);
    expect(await screen.findByText("已恢复 3 项，其中 2 项改了名，原处已有同名的")).toBeTruthy();
    expect(asked).toBe(4);
  });
});
