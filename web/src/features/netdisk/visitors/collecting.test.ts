import { afterEach, describe, expect, it, vi } from "vitest";
import { catchUploads } from "../mock";
import { collectOutcome, collectTransport, sentName } from "./collecting";

const spot = { host: "/disk", hash: "HASH", path: "/" };

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the name that a file is sent by", () => {
  it.each([
    ["报告 1.txt", "报告 1.txt"],
    [".bashrc", "bashrc"],
    ["...", "未命名"],
    [" a .txt ", "a .txt"],
    ["Icon\r", "Icon"],
    ["gpj.\u202eexe.txt", "gpj.exe.txt"],
    ["👩\u200d🔬.png", "👩\u200d🔬.png"],
  ])("%j: %j", (name, expected) => {
    expect(sentName(name)).toBe(expected);
  });
});

describe("what becomes of a file", () => {
  it.each([
    [409, "link_full", "链接已收满，不再接收文件"],
    [507, "no_room", "对方的空间不足"],
    [400, "filename_unfit", "文件名不能使用，请改名后再试"],
    [404, null, "收集已结束"],
    [401, "password_needed", "密码的有效时间过了，请刷新页面重新输入"],
    [0, null, "网络中断"],
  ])("%i %s: %s", (status, reason, words) => {
    expect(collectOutcome({ status, line: "", reason, retryAfter: 0 })).toEqual({
      kind: "failed",
      reason: words,
    });
  });
});

describe("sending", () => {
  const job = (name: string) => ({
    id: "1",
    entry: "1",
    path: `/${name}`,
    file: { size: 1, isDir: false, content: new File(["x"], name) },
    overwrite: false,
    resumes: false,
    after: null,
    existing: null,
  });

  it("goes to the link, with the token for its password and no other", async () => {
    const sent = catchUploads();
    localStorage.setItem("login_token", "secret");
    const { done } = collectTransport(
      spot,
      () => "1.abc",
      () => {},
    )(job("a b#.txt"), () => {});
    expect(sent[0]).toMatchObject({
      method: "POST",
      url: "/disk/api/public/collect/HASH/a%20b%23.txt?token=1.abc",
    });
    expect(sent[0]?.authorization).not.toContain("secret");
    sent[0]?.end(200, "200 OK\n");
    expect(await done).toEqual({ kind: "finished" });
    localStorage.clear();
  });

  it("waits while the server is busy, and looks again when the link is full", async () => {
    vi.useFakeTimers();
    const sent = catchUploads();
    const ended = vi.fn();
    const { done } = collectTransport(spot, () => null, ended)(job("a.txt"), () => {});
    sent[0]?.end(429, "");
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toHaveLength(2);
    expect(ended).not.toHaveBeenCalled();
    sent[1]?.end(409, "", "link_full");
    expect(await done).toEqual({ kind: "failed", reason: "链接已收满，不再接收文件" });
    expect(ended).toHaveBeenCalledOnce();
  });
});
