import { describe, expect, it } from "vitest";
import { readNdjson } from "./ndjson";

function streamOf(...parts: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

describe("lines of JSON", () => {
  it("come one by one however the stream is cut, also within a character", async () => {
    const bytes = new TextEncoder().encode('{"path":"图.png"}\n{"path":"b"}\n{"path":"c"}');
    const seen: { path: string }[][] = [];
    await readNdjson<{ path: string }>(
      streamOf(bytes.slice(0, 11), bytes.slice(11, 30), bytes.slice(30)),
      (lines) => seen.push(lines),
    );
    expect(seen.flat().map(({ path }) => path)).toEqual(["图.png", "b", "c"]);
    expect(seen.length).toBeGreaterThan(1);
  });

  it("nothing is no line", async () => {
    const seen: unknown[] = [];
    await readNdjson(streamOf(new Uint8Array()), (lines) => seen.push(lines));
    expect(seen).toEqual([]);
  });
});
