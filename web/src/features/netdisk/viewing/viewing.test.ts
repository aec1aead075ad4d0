import { afterEach, describe, expect, it, vi } from "vitest";
import { json, serve, signedIn } from "@/test-server";
import { withBlocks } from "./blocks";
import { Cursor, readPart, ViewFault } from "./bytes";
import { changedWords, diskSource, readRange } from "./disk-source";
import { sourceOf, utf8 } from "./test-bytes";
import { isTooLarge, viewerOf } from "./viewers";
import { askWorker } from "./worker-call";
import type { FromWorker, ToWorker } from "./worker-messages";

describe("which files have a view", () => {
  it.each([
    ["README.md", "text", "markdown"],
    ["A.IPYNB", "text", "notebook"],
    ["big.csv", "blob", "csv"],
    ["a.tar.gz", "blob", "archive"],
    ["a.csv.gz", "blob", null],
    ["model.pt", "blob", "tensors"],
    ["a.constructor", "blob", null],
    ["a.md", "image", null],
    ["noending", "text", null],
  ] as const)("%s of type %s", (name, type, viewer) => {
    expect(viewerOf({ name, type, isDir: false, size: 100 })).toBe(viewer);
  });

  it("no folder, and nothing that would have to be loaded whole and is large", () => {
    expect(viewerOf({ name: "a.zip", type: "", isDir: true, size: 0 })).toBeNull();
    expect(viewerOf({ name: "a.jsonl", type: "blob", isDir: false, size: 2 ** 30 })).toBe("long");
    expect(isTooLarge("office", 60 * 1024 * 1024)).toBe(true);
    expect(isTooLarge("csv", 2 ** 40)).toBe(false);
  });
});

describe("parts of a file", () => {
  it("are within it, and within their limit", async () => {
    const source = sourceOf(utf8("0123456789"));
    expect(await readPart(source, 2, 3, 10, "头")).toEqual(utf8("234"));
    for (const [begin, length] of [
      [0, 11],
      [-1, 2],
      [5, Number.NaN],
      [2 ** 60, 1],
      [0.5, 1],
    ] as const)
      await expect(readPart(source, begin, length, 100, "头")).rejects.toBeInstanceOf(ViewFault);
    await expect(readPart(source, 0, 8, 4, "头")).rejects.toThrow("太大");
  });

  it("a cursor does not go beyond its end", () => {
    const cursor = new Cursor(new Uint8Array(3), "头");
    expect(cursor.u16()).toBe(0);
    expect(() => cursor.u32()).toThrow("头不完整");
    expect(() => new Cursor(new Uint8Array(8).fill(255), "头").size()).toThrow(ViewFault);
  });

  it("are read once, and pieced together over the edges of blocks", async () => {
    const bytes = Uint8Array.from({ length: 700_000 }, (_, at) => at % 251);
    const source = sourceOf(bytes);
    const cached = withBlocks(source);
    expect(await cached.read(262_000, 262_300)).toEqual(bytes.slice(262_000, 262_300));
    expect(await cached.read(0, 10)).toEqual(bytes.slice(0, 10));
    expect(await cached.read(699_990, 700_000)).toEqual(bytes.slice(699_990));
    expect(source.asked).toEqual([
      [0, 262_144],
      [262_144, 524_288],
      [524_288, 700_000],
    ]);
  });
});

describe("a file on the disk", () => {
  const range = (body: string, begin: number, total: number, etag = '"1"') =>
    new Response(body, {
      status: 206,
      headers: { "content-range": `bytes ${begin}-${begin + body.length - 1}/${total}`, etag },
    });

  it("is asked for by range, with a signature", async () => {
    signedIn(2);
    const seen: (string | null)[] = [];
    serve({
      "GET /disk/api/raw/home/a.bin": (request) => {
        seen.push(request.headers.get("range"), request.headers.get("authorization"));
        return range("345", 3, 10);
      },
    });
    const { bytes, total } = await readRange("/disk", "/home/a.bin", { begin: 3, end: 6 });
    expect([new TextDecoder().decode(bytes), total]).toEqual(["345", 10]);
    expect(seen).toEqual(["bytes=3-5", expect.stringMatching(/^Bearer ./)]);
  });

  it("that is changed meanwhile is not put together of two versions", async () => {
    signedIn(2);
    let version = 0;
    serve({
      "GET /disk/api/raw/home/a.bin": () => {
        version += 1;
        return range("ab", 0, 10, `"${version}"`);
      },
    });
    const source = diskSource("/disk", { path: "/home/a.bin", size: 10 });
    await source.read(0, 2);
    await expect(source.read(0, 2)).rejects.toThrow(changedWords);
  });

  it("that is empty is not asked for", async () => {
    const source = diskSource("/disk", { path: "/home/a.ipynb", size: 0 });
    expect(await withBlocks(source).read(0, 0)).toHaveLength(0);
  });

  it("is not loaded whole from something that knows no ranges", async () => {
    signedIn(2);
    serve({ "GET /disk/api/raw/home/a.bin": () => json("all of it") });
    await expect(readRange("/disk", "/home/a.bin", { begin: 0, end: 2 })).rejects.toThrow("不支持分段读取");
  });
});

describe("a reader in a worker", () => {
  class FakeWorker {
    onmessage: ((event: { data: FromWorker<string> }) => void) | null = null;
    onerror: ((event: { preventDefault: () => void }) => void) | null = null;
    ended = false;
    got: ToWorker[] = [];
    postMessage(message: ToWorker) {
      this.got.push(message);
    }
    terminate() {
      this.ended = true;
    }
    say(data: FromWorker<string>) {
      this.onmessage?.({ data });
    }
  }
  function start(signal = new AbortController().signal) {
    const worker = new FakeWorker();
    const source = sourceOf(utf8("0123456789"));
    // biome-ignore lint/suspicious/noExplicitAny: the part of a worker that is used
    const answer = askWorker<string>(() => worker as any, source, "docx", signal);
    return { worker, answer, source };
  }
  afterEach(() => vi.useRealTimers());

  it("gets the question and the parts that it asks for, and is ended by its answer", async () => {
    const { worker, answer } = start();
    expect(worker.got).toEqual([{ kind: "question", size: 10, question: "docx" }]);
    worker.say({ kind: "read", id: 1, begin: 2, end: 4 });
    await vi.waitFor(() => expect(worker.got[1]).toMatchObject({ kind: "bytes", id: 1, bytes: utf8("23") }));
    worker.say({ kind: "answer", answer: "done" });
    expect(await answer).toBe("done");
    expect(worker.ended).toBe(true);
  });

  it("that dies, says why, or never answers is a fault", async () => {
    const dead = start();
    dead.worker.onerror?.({ preventDefault: () => {} });
    await expect(dead.answer).rejects.toBeInstanceOf(ViewFault);
    const sorry = start();
    sorry.worker.say({ kind: "fault", words: "压缩包有密码" });
    await expect(sorry.answer).rejects.toThrow("压缩包有密码");
    vi.useFakeTimers();
    const silent = start();
    const end = expect(silent.answer).rejects.toThrow("解析超时");
    await vi.advanceTimersByTimeAsync(60_000);
    await end;
    expect(silent.worker.ended).toBe(true);
  });

  it("is ended when it is left", async () => {
    const leaving = new AbortController();
    const { worker, answer } = start(leaving.signal);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    expect(worker.ended).toBe(true);
  });
});
