// Parses lines of JSON from a stream.

/** Calls `onLines` with complete lines as soon as they arrive. */
export async function readNdjson<T>(
  stream: ReadableStream<Uint8Array>,
  onLines: (lines: T[]) => void,
): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const parts = rest.split("\n");
    rest = done ? "" : (parts.pop() ?? "");
    const lines = parts.filter((part) => part.trim() !== "").map((part): T => JSON.parse(part));
    if (lines.length > 0) onLines(lines);
    if (done) return;
  }
}
