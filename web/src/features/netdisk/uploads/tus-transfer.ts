// One large file by the tus protocol: the server keeps what has arrived, and sending goes on from there after a broken
// line, a restart of the server, a pause or a reload of the page.
import { type DetailedError, Upload } from "tus-js-client";
import { pageToken } from "@/shared/api/page-token";
import { settledToken } from "@/shared/api/renew";
import { endSession } from "@/shared/api/session-end";
import { diskAddress } from "../disk-address";
import { outcomeOf } from "./outcome";
import type { UploadJob } from "./plan";
import type { Outcome, Transfer } from "./queue";
import { forgetPieces, piecesOf, rememberPieces } from "./remembered";

/** Proxies hold whole requests back; in pieces of this size they have something to pass on. */
const pieceSize = 64 * 1024 * 1024;

/** Together longer than a server takes to restart. Progress starts them afresh. */
const retryDelays = [300, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** As much as is asked of the protocol client's errors. */
interface Refusal {
  originalRequest?: { getMethod: () => string } | null;
  originalResponse?: { getStatus: () => number } | null;
}

const statusOf = (error: Refusal) => error.originalResponse?.getStatus() ?? 0;

/** A line that broke, a busy server, or an offset that another request moved; a refusal stays one. */
export function mayPass(error: Refusal): boolean {
  const status = statusOf(error);
  if (status === 409) return error.originalRequest?.getMethod() === "PATCH";
  return status === 0 || status === 423 || status === 429 || (status >= 500 && status !== 507);
}

export function startTus(
  storageHost: string,
  job: UploadJob,
  content: File,
  onProgress: (loaded: number) => void,
): Transfer {
  let end: (outcome: Outcome) => void = () => {};
  const done = new Promise<Outcome>((resolve) => {
    end = resolve;
  });
  /** The token of the last request, and whether a refused one has been exchanged already. */
  let sent: string | null = null;
  let exchanged = false;
  const known = piecesOf(job.path, content);

  const upload = new Upload(content, {
    endpoint: diskAddress(storageHost, "tus", job.path, { override: String(job.overwrite) }).href,
    ...(known && { uploadUrl: known.url }),
    metadata: { filename: content.name, lastModified: String(content.lastModified) },
    chunkSize: pieceSize,
    retryDelays,
    // Remembered by our own book, which the panel reads after a reload.
    storeFingerprintForResuming: false,
    onBeforeRequest: (request) => {
      sent = pageToken();
      if (sent) request.setHeader("Authorization", `Bearer ${sent}`);
    },
    onShouldRetry: mayPass,
    onUploadUrlAvailable: () => {
      if (upload.url) rememberPieces(job.path, content, upload.url);
    },
    onProgress,
    onSuccess: () => {
      forgetPieces(job.path);
      end({ kind: "finished" });
    },
    onError: (cause) => void failed(cause),
  });

  async function failed(cause: Error | DetailedError) {
    if (!("originalRequest" in cause)) {
      // The file cannot be read any more: changed, moved or deleted since it was picked.
      end({ kind: "failed", reason: "读不到本地文件，请重新选择" });
      return;
    }
    const status = statusOf(cause);
    const line = cause.originalResponse?.getBody() ?? "";
    if (status === 401 && sent) {
      const current = exchanged ? null : await settledToken(sent);
      exchanged = true;
      if (current) {
        upload.start();
        return;
      }
      endSession(sent, 401, line);
    }
    end({ ...outcomeOf({ status, line }), ...(status === 0 && { keeps: true }) });
  }

  upload.start();
  return { done, abort: () => void upload.abort() };
}

/** Tells the server that nothing more will come. It would find out by itself after a while, so a failure is none. */
export async function endTus(url: string): Promise<void> {
  const token = pageToken();
  await Upload.terminate(url, {
    headers: token ? { Authorization: `Bearer ${token}` } : {},
    retryDelays: null,
  }).catch(() => {});
}
