// The worker's side: the file as bytes by position, asked from the page.
import { type ByteSource, ViewFault } from "./bytes";
import type { FromWorker, ToWorker } from "./worker-messages";

export function serveWorker<Answer>(answer: (source: ByteSource, question: unknown) => Promise<Answer>) {
  const waiting = new Map<number, (bytes: Uint8Array<ArrayBuffer>) => void>();
  let next = 0;
  const post = (message: FromWorker<Answer>) => self.postMessage(message);

  self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.kind === "bytes") {
      waiting.get(data.id)?.(data.bytes);
      waiting.delete(data.id);
      return;
    }
    const { size, question } = data;
    const source: ByteSource = {
      size,
      read: (begin, end) =>
        new Promise((resolve, reject) => {
          if (!(begin >= 0 && end <= size && begin <= end)) {
            reject(new ViewFault("文件已损坏：部分内容超出文件范围"));
            return;
          }
          next += 1;
          waiting.set(next, resolve);
          post({ kind: "read", id: next, begin, end });
        }),
    };
    answer(source, question).then(
      (found) => post({ kind: "answer", answer: found }),
      (cause: unknown) =>
        post({
          kind: "fault",
          words: cause instanceof ViewFault ? cause.message : "文件已损坏，或不是这种格式",
        }),
    );
  };
}
