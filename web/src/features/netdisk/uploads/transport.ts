// Sends one job to the storage host: folders and small files in one request, large files in pieces that survive a
// broken connection or a restart.
import { isProxyLimit } from "@/shared/api/proxies";
import { diskAddress } from "../disk-address";
import { outcomeOf } from "./outcome";
import { pieceSize, shrinkBelow } from "./piece-size";
import type { UploadJob } from "./plan";
import type { Outcome, Transfer, Transport } from "./queue";
import { isThereAlready } from "./same-file";
import { SignedCall } from "./signed-call";

/** Below this a request more costs longer than sending all of it again. */
export const resumableFrom = 1024 * 1024;

function sendWhole(storageHost: string, job: UploadJob, onProgress: (loaded: number) => void): Transfer {
  const { content, isDir } = job.file;
  const query = isDir ? undefined : { override: String(job.overwrite) };
  const address = diskAddress(storageHost, "resources", job.path, query);
  const call = new SignedCall();
  let pieces: Transfer | null = null;
  const done = call.post(address, content, onProgress).then((answer) => {
    const refused = isProxyLimit(answer.status, answer.line);
    if (!(content && refused && shrinkBelow(content.size))) return outcomeOf(answer);
    pieces = sendInPieces(storageHost, job, content, onProgress);
    return pieces.done;
  });
  return {
    done,
    abort: () => {
      call.abort();
      pieces?.abort();
    },
  };
}

/** The protocol's client is loaded with the first large file. */
function sendInPieces(
  storageHost: string,
  job: UploadJob,
  content: File,
  onProgress: (loaded: number) => void,
): Transfer {
  let aborted = false;
  let transfer: Transfer | null = null;
  const sending = import("./tus-transfer").then(
    ({ startTus }): Promise<Outcome> | Outcome => {
      if (aborted) return { kind: "failed", reason: "已取消" };
      transfer = startTus(storageHost, job, content, onProgress);
      return transfer.done;
    },
    (): Outcome => ({ kind: "failed", reason: "网络中断" }),
  );
  return {
    done: sending,
    abort: () => {
      aborted = true;
      transfer?.abort();
    },
  };
}

/** An upload that began before a reload has already sent some of its files: those are no conflict. */
async function passed(storageHost: string, job: UploadJob, sending: Promise<Outcome>): Promise<Outcome> {
  const outcome = await sending;
  const same = outcome.kind === "conflict" && job.resumes && (await isThereAlready(storageHost, job));
  return same ? { kind: "finished" } : outcome;
}

/** `storageHost` is called for each job: the setting may change while the page is open. */
export function diskTransport(storageHost: () => string): Transport {
  return (job, onProgress) => {
    const { content, size } = job.file;
    const host = storageHost();
    const { done, abort } =
      content && size >= Math.min(resumableFrom, pieceSize() + 1)
        ? sendInPieces(host, job, content, onProgress)
        : sendWhole(host, job, onProgress);
    return { done: passed(host, job, done), abort };
  };
}
