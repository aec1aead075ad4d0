import { beforeEach, describe, expect, it } from "vitest";
import { dropToken, storeToken } from "@/shared/api/token";
import { makeToken, signedIn } from "@/test-server";
import { keepBook, leaveBook } from "./bookkeeping";
import { faultOfPick } from "./leftovers";
import { abandoned, forgetPieces, piecesOf, rememberPieces, type Unfinished } from "./remembered";
import type { EntryLine } from "./summary";
import { mayPass } from "./tus-transfer";

const megabyte = 1024 * 1024;

const line = (part: Partial<EntryLine> = {}): EntryLine => ({
  id: "l1",
  name: "a.tar",
  isDir: false,
  folder: "/home/",
  modified: 1_700_000_000_000,
  state: "active",
  files: 1,
  filesDone: 0,
  filesFailed: 0,
  size: 4 * megabyte,
  loaded: megabyte,
  reason: "",
  speed: 0,
  ...part,
});

const fileOf = (name: string, content: string, lastModified = 1_700_000_000_000) =>
  new File([content], name, { lastModified });

beforeEach(() => {
  signedIn(2);
  keepBook([]);
});

describe("what is remembered of unfinished uploads", () => {
  it("a large file is asked for again once its tab has gone", () => {
    keepBook([line()]);
    expect(abandoned()).toEqual([]);
    leaveBook();
    expect(abandoned()).toMatchObject([{ name: "a.tar", folder: "/home/", percent: 25 }]);
  });

  it("a tab that says nothing for long has gone, too", () => {
    keepBook([line()]);
    expect(abandoned(Date.now() + 60_000)).toEqual([]);
    expect(abandoned(Date.now() + 100_000)).toHaveLength(1);
  });

  it("what is finished, cancelled or small is not asked for", () => {
    keepBook([line(), line({ id: "l2", size: 10 }), line({ id: "l3" })]);
    keepBook([line({ state: "finished" })]);
    leaveBook();
    expect(abandoned()).toEqual([]);
  });

  it("nobody sees what somebody else has left", () => {
    keepBook([line()]);
    leaveBook();
    storeToken(makeToken({ id: 8 }));
    expect(abandoned()).toEqual([]);
    dropToken();
    expect(abandoned()).toEqual([]);
    signedIn(2);
    expect(abandoned()).toHaveLength(1);
  });

  it("pieces belong to one file of this size and time", () => {
    const file = fileOf("a.tar", "hello");
    rememberPieces("/home/a.tar", file, "http://lab.test/disk/api/tus/1");
    expect(piecesOf("/home/a.tar", file)?.url).toBe("http://lab.test/disk/api/tus/1");
    expect(piecesOf("/home/a.tar", fileOf("a.tar", "hellooo"))).toBeNull();
    expect(piecesOf("/home/a.tar", fileOf("a.tar", "hello", 1))).toBeNull();
    forgetPieces("/home/a.tar");
    expect(piecesOf("/home/a.tar", file)).toBeNull();
  });
});

describe("the file that is picked to go on", () => {
  const cut: Unfinished = {
    id: "l1",
    name: "a.tar",
    isDir: false,
    folder: "/home/",
    size: 5,
    modified: 1_700_000_000_000,
    percent: 20,
    alive: 0,
  };
  const pick = (file: File) => [{ names: [file.name], file }];

  it("has to be the very same", () => {
    expect(faultOfPick(cut, pick(fileOf("a.tar", "hello")))).toBeNull();
    expect(faultOfPick(cut, pick(fileOf("b.tar", "hello")))).toBe("请选择原来的文件 a.tar");
    expect(faultOfPick(cut, pick(fileOf("a.tar", "hell")))).toBe("a.tar 的大小不同了，原来是 5.00 B");
    expect(faultOfPick(cut, pick(fileOf("a.tar", "hello", 1)))).toBe("a.tar 在上次上传之后被改过");
    expect(faultOfPick(cut, [])).toBe("请选择原来的文件 a.tar");
  });

  it("a folder is known by its name; its files are compared one by one", () => {
    const folder = { ...cut, name: "d", isDir: true };
    expect(faultOfPick(folder, [{ names: ["d", "x"], file: fileOf("x", "1") }])).toBeNull();
    expect(faultOfPick(folder, [{ names: ["e", "x"], file: fileOf("x", "1") }])).toBe("请选择原来的文件夹 d");
  });
});

describe("what is tried again by itself", () => {
  const refusal = (method: string, status: number) => ({
    originalRequest: { getMethod: () => method, getHeader: () => undefined },
    originalResponse: status === 0 ? null : { getStatus: () => status },
  });

  it.each([
    ["PATCH", 0, true],
    ["PATCH", 503, true],
    ["PATCH", 423, true],
    ["PATCH", 409, true],
    ["POST", 409, false],
    ["POST", 403, false],
    ["PATCH", 507, false],
    ["PATCH", 401, false],
  ])("%s answered with %i: %s", (method, status, again) => {
    expect(mayPass(refusal(method, status))).toBe(again);
  });
});
