// Every button of a folder without each of the permissions: disabled with the reason from the table of actions.
import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, signedIn } from "@/test-server";
import FilesPage from "./FilesPage";
import { diskUser, giveHeight, makeFolder, makeItem, serveDisk } from "./mock";
import { closeOverlay } from "./overlay";

const listHome = () => json(makeFolder("/home/", [makeItem({ path: "/home/a.txt" })]));

beforeEach(() => {
  signedIn(2);
  giveHeight();
});

afterEach(closeOverlay);

describe("without a permission", () => {
  it.each([
    ["S288", "create", ["上传", "复制"]],
    ["S289 S298 S300", "rename", ["移动", "重命名"]],
    ["S290 S297", "delete", ["删除"]],
    ["S291 S301", "download", ["命令行", "下载", "分享"]],
    ["S292 S299", "share", ["分享"]],
    ["S293", "execute", ["命令行"]],
  ] as const)("%s no %s", async (_ids, lacking, expected) => {
    const perm = { ...diskUser.perm, execute: true, [lacking]: false };
    serveDisk({
      "GET /disk/api/resources/home/": listHome,
      "GET /disk/api/users/7": () => json({ ...diskUser, perm }),
    });
    const { user } = renderPage(FilesPage, { at: "/netdisk/files/home/", role: 2, me: 7 });
    await user.click(await screen.findByRole("row", { name: /a\.txt/ }));
    // The header's own, which is rendered once the permissions are loaded.
    const shell = await screen.findByRole("button", { name: "命令行" });
    const bar = within(await screen.findByRole("region", { name: "所选项操作" }));
    const header = within(screen.getByRole("banner"));
    const all = [
      header.getByRole("button", { name: "上传" }),
      shell,
      ...["下载", "分享", "复制", "移动", "重命名", "删除"].map((name) => bar.getByRole("button", { name })),
    ];
    const nameOf = (button: HTMLElement) => button.getAttribute("aria-label") ?? button.textContent;
    const closed = all.filter((button) => button.hasAttribute("disabled")).map(nameOf);
    expect(closed).toEqual(expected);
  });
});
