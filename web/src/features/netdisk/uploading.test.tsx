// Uploading through the page.
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { clearSession } from "@/shared/stores/session";
import { json, signedIn } from "@/test-server";
import FilesPage from "./FilesPage";
import { catchUploads, giveHeight, makeFolder, makeItem, serveDisk } from "./mock";
import { closeOverlay } from "./overlay";
import { TransferDock } from "./uploads/TransferDock";
import { uploadQueue } from "./uploads/upload-store";

const home = [
  makeItem({ path: "/home/docs", isDir: true }),
  makeItem({ path: "/home/a.txt", size: 2048 }),
  makeItem({ path: "/home/c.txt", size: 1024 }),
];
const listHome = { "GET /disk/api/resources/home/": () => json(makeFolder("/home/", home)) };

/** With the components that the app's frame puts over every page. */
const Disk = () => (
  <>
    <FilesPage />
    <TransferDock />
  </>
);

const start = () => renderPage(Disk, { at: "/netdisk/files/home/", role: 2, me: 7 });
const row = (name: string) => screen.findByRole("row", { name: new RegExp(name) });

beforeEach(() => {
  clearSession();
  signedIn(2);
  giveHeight();
});

afterEach(() => {
  uploadQueue.clear();
  closeOverlay();
});

describe("uploading", () => {
  const upload = async (user: ReturnType<typeof start>["user"], files: File[]) => {
    await user.click(screen.getAllByRole("button", { name: "上传" })[0] ?? document.body);
    const dialog = await screen.findByRole("dialog", { name: "上传到 我的文件" });
    await user.upload(within(dialog).getByLabelText("选择文件"), files);
  };

  it("S148 S194 S241 S242 S243 S346 sends by header, guards the page, and lists again at the end", async () => {
    const sent = catchUploads();
    const server = serveDisk(listHome);
    const { user } = start();
    await row("a.txt");
    await upload(user, [new File(["hello"], "new #1.txt")]);
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({
      method: "POST",
      url: "/disk/api/resources/home/new%20%231.txt?override=false",
    });
    expect(sent[0]?.authorization).toMatch(/^Bearer ./);
    expect(await screen.findByText("正在上传…")).toBeTruthy();
    expect(screen.getByRole("progressbar", { name: "上传进度" })).toBeTruthy();
    const closing = new Event("beforeunload", { cancelable: true });
    dispatchEvent(closing);
    expect(closing.defaultPrevented).toBe(true);

    const lists = server.count("GET /disk/api/resources/home/");
    sent[0]?.end(200, "200 OK");
    expect(await screen.findByText("上传完成")).toBeTruthy();
    await waitFor(() => expect(server.count("GET /disk/api/resources/home/")).toBe(lists + 1));
    const later = new Event("beforeunload", { cancelable: true });
    dispatchEvent(later);
    expect(later.defaultPrevented).toBe(false);
  });

  it("asks once about all files that are there, with sizes, and keeps both under another name", async () => {
    const sent = catchUploads();
    serveDisk(listHome);
    const { user } = start();
    await row("a.txt");
    await upload(user, [new File(["hello"], "a.txt"), new File(["hi"], "c.txt"), new File(["x"], "n.txt")]);
    const dialog = await screen.findByRole("dialog", { name: "替换 2 个同名文件？" });
    expect(within(dialog).getByText(/^2\.00 KB/)).toBeTruthy();
    expect(within(dialog).getAllByText("较新")).toHaveLength(2);
    await user.click(within(dialog).getByRole("checkbox", { name: "选择 c.txt" }));
    expect(within(dialog).getByText("已选 1 个")).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "保留两者" }));
    const rest = await screen.findByRole("dialog", { name: "替换 c.txt？" });
    await user.click(within(rest).getByRole("button", { name: "跳过" }));
    await waitFor(() =>
      expect(sent.map(({ url }) => url)).toEqual([
        "/disk/api/resources/home/n.txt?override=false",
        "/disk/api/resources/home/a(1).txt?override=false",
      ]),
    );
    for (const one of sent) one.end(200, "200 OK");
    expect(await screen.findByText("上传完成")).toBeTruthy();
  });

  it("S231 S280 S381 a 409 asks whether to replace, without an error toast", async () => {
    const sent = catchUploads();
    serveDisk({
      ...listHome,
      "GET /disk/api/resources/home/late.txt": () => json(makeItem({ path: "/home/late.txt" })),
    });
    const { user } = start();
    await row("a.txt");
    await upload(user, [new File(["hello"], "late.txt")]);
    await waitFor(() => expect(sent).toHaveLength(1));
    sent[0]?.end(409, "409 Conflict (exists)", "exists");
    const dialog = await screen.findByRole("dialog", { name: "替换 late.txt？" });
    expect(screen.queryByText(/上传失败/)).toBeNull();
    await user.click(within(dialog).getByRole("button", { name: "覆盖" }));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]?.url).toBe("/disk/api/resources/home/late.txt?override=true");
    sent[1]?.end(200, "200 OK");
    expect(await screen.findByText("上传完成")).toBeTruthy();
  });

  it("S382 another failure shows the reason and can be tried again", async () => {
    const sent = catchUploads();
    serveDisk(listHome);
    const { user } = start();
    await row("a.txt");
    await upload(user, [new File(["hello"], "big.bin")]);
    await waitFor(() => expect(sent).toHaveLength(1));
    sent[0]?.end(507, "507 Insufficient Storage (quota exceeded)", "quota_exceeded");
    expect(await screen.findByText("big.bin 上传失败：超出网盘配额")).toBeTruthy();
    const panel = screen.getByRole("complementary", { name: "传输" });
    expect(await within(panel).findByText("超出网盘配额，没有上传")).toBeTruthy();
    await user.click(within(panel).getByRole("button", { name: "重试 big.bin" }));
    await waitFor(() => expect(sent).toHaveLength(2));
    sent[1]?.end(200, "200 OK");
    expect(await within(panel).findByText("已完成 · 5.00 B")).toBeTruthy();
  });
});
