// Uploads through proxies that take less than the server would, with the protocol's own client.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bodyLimitWords } from "@/shared/api/proxies";
import { signedIn } from "@/test-server";
import type { UploadJob } from "./plan";

// What pages load; the test runner would take the one for Node.js.
vi.mock("tus-js-client", () =>
  vi.importActual<typeof import("tus-js-client")>("tus-js-client/lib.es5/browser/index.js"),
);

const mebibyte = 1024 * 1024;

/** What nginx answers with. */
const page = "<html><head><title>413 Request Entity Too Large</title></head></html>";

interface Proxy {
  /** The largest body that it passes on. */
  limit: number;
  refusal?: string;
  /** Breaks the line off instead of answering. */
  hangsUp?: boolean;
}

/** Stands in for XMLHttpRequest; gives the size of each body in MiB, and what was answered. */
function behind({ limit, refusal = page, hangsUp = false }: Proxy) {
  const sent: [number, number][] = [];
  let length = 0;
  let taken = 0;
  class FakeRequest {
    upload = {};
    onload = () => {};
    onerror = (_cause: Error) => {};
    onloadend = () => {};
    status = 0;
    responseText = "";
    private method = "";
    private answered: Record<string, string> = {};

    open(method: string) {
      this.method = method;
    }
    setRequestHeader(name: string, value: string) {
      if (name === "Upload-Length") {
        length = Number(value);
        taken = 0;
      }
    }
    getResponseHeader = (name: string) => this.answered[name] ?? null;
    abort() {}

    send(body: Blob | null) {
      const size = body?.size ?? 0;
      const refused = size > limit;
      if (refused && hangsUp) {
        sent.push([size / mebibyte, 0]);
        queueMicrotask(() => this.onerror(new Error("the line broke")));
        return;
      }
      this.status = refused ? 413 : 200;
      if (refused) this.responseText = refusal;
      else if (this.method === "PATCH") taken += size;
      if (size > 0) sent.push([size / mebibyte, this.status]);
      this.answered = {
        "Upload-Offset": `${taken}`,
        "Upload-Length": `${length}`,
        Location: "/disk/api/tus/1",
      };
      queueMicrotask(() => {
        this.onload();
        this.onloadend();
      });
    }
  }
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
  return sent;
}

/** A page that was just loaded. */
async function newPage() {
  vi.resetModules();
  const { diskTransport } = await import("./transport");
  const send = diskTransport(() => "/disk");
  return async (mebibytes: number) => {
    const content = new File([new Uint8Array(mebibytes * mebibyte)], "a.bin");
    const job: UploadJob = {
      id: "1",
      entry: "1",
      path: "/home/a.bin",
      file: { size: content.size, isDir: false, content },
      overwrite: false,
      resumes: false,
      after: null,
      existing: null,
    };
    const { done } = send(job, () => {});
    return done;
  };
}

const finished = { kind: "finished" };

beforeEach(() => {
  signedIn();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("A7 uploads behind a reverse proxy", () => {
  it("without limits a large file goes in one piece", async () => {
    const sent = behind({ limit: 100 * mebibyte });
    const upload = await newPage();
    expect(await upload(20)).toEqual(finished);
    expect(sent).toEqual([[20, 200]]);
  });

  it("what a proxy refuses goes on in smaller pieces, and the page remembers how small", async () => {
    const sent = behind({ limit: mebibyte });
    const upload = await newPage();
    expect(await upload(20)).toEqual(finished);
    expect(sent.slice(0, 2)).toEqual([
      [20, 413],
      [8, 413],
    ]);
    expect(sent.slice(2)).toEqual(Array.from({ length: 20 }, () => [1, 200]));
    sent.length = 0;
    expect(await upload(3)).toEqual(finished);
    expect(sent).toEqual([
      [1, 200],
      [1, 200],
      [1, 200],
    ]);
  });

  it("a file of less than one piece skips the sizes that would change nothing", async () => {
    const sent = behind({ limit: mebibyte / 2 });
    const upload = await newPage();
    expect(await upload(1)).toEqual(finished);
    expect(sent.slice(0, 2)).toEqual([
      [1, 413],
      [0.25, 200],
    ]);
  });

  it("a small file that was sent whole goes in pieces, too, and the next one at once", async () => {
    const sent = behind({ limit: mebibyte / 4 });
    const upload = await newPage();
    expect(await upload(0.75)).toEqual(finished);
    expect(sent).toEqual([
      [0.75, 413],
      [0.25, 200],
      [0.25, 200],
      [0.25, 200],
    ]);
    sent.length = 0;
    expect(await upload(0.5)).toEqual(finished);
    expect(sent).toEqual([
      [0.25, 200],
      [0.25, 200],
    ]);
  });

  it.each([page, "", "Request Entity Too Large"])(
    "when the smallest is refused as well (%j), the words name the proxy and its setting",
    async (refusal) => {
      const sent = behind({ limit: mebibyte / 8, refusal });
      const upload = await newPage();
      expect(await upload(20)).toMatchObject({ kind: "failed", reason: bodyLimitWords });
      expect(sent.map(([size]) => size)).toEqual([20, 8, 1, 0.25]);
      expect(await upload(0.2)).toMatchObject({ kind: "failed", reason: bodyLimitWords });
      expect(bodyLimitWords).toContain("client_max_body_size 0");
    },
  );

  it("the storage host's own refusal is final, and about the file", async () => {
    const sent = behind({ limit: mebibyte, refusal: "413 Payload Too Large\n" });
    const upload = await newPage();
    expect(await upload(20)).toMatchObject({ kind: "failed", reason: "文件比申报的大" });
    expect(sent).toEqual([[20, 413]]);
  });

  it("a piece that breaks off twice at the same place gets smaller", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 500 });
    const sent = behind({ limit: 8 * mebibyte, hangsUp: true });
    const upload = await newPage();
    expect(await upload(20)).toEqual(finished);
    expect(sent).toEqual([
      [20, 0],
      [20, 0],
      [8, 200],
      [8, 200],
      [4, 200],
    ]);
  });
});
