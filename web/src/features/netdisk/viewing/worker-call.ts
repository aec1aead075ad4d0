// A reader of a foreign format in a worker: it neither stops the page nor has its tokens, and asks the page for the parts
// of the file that it needs. When it is left or takes too long, it is ended.
import { type ByteSource, ViewFault } from "./bytes";
import type { FromWorker, ToWorker } from "./worker-messages";

/** Without an answer or a question for this long it is ended. */
const patienceMs = 60_000;

/** One question to a worker that is started for it. */
export function askWorker<Answer>(
  start: () => Worker,
  source: ByteSource,
  question: unknown,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = start();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const send = (message: ToWorker, transfer: Transferable[] = []) => worker.postMessage(message, transfer);

    function end(settle: () => void) {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      worker.terminate();
      settle();
    }
    const leave = () => end(() => reject(signal.reason));
    const fail = (cause: unknown) => end(() => reject(cause));
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => fail(new ViewFault("解析超时，请下载后查看")), patienceMs);
    };

    worker.onmessage = ({ data }: MessageEvent<FromWorker<Answer>>) => {
      wait();
      if (data.kind === "answer") end(() => resolve(data.answer));
      else if (data.kind === "fault") fail(new ViewFault(data.words));
      else
        source.read(data.begin, data.end).then(
          (bytes) => send({ kind: "bytes", id: data.id, bytes }, [bytes.buffer]),
          // The network's error is the answer, not what the reader makes of it.
          fail,
        );
    };
    // Out of memory, or its script could not be loaded.
    worker.onerror = (event) => {
      event.preventDefault();
      fail(new ViewFault("文件太大或已损坏，请下载后查看"));
    };
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    else {
      wait();
      send({ kind: "question", size: source.size, question });
    }
  });
}
