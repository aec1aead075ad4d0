// One large file by the tus protocol: the server keeps received bytes, and sending continues there after a broken
// connection, a restart of the server, a pause or a reload of the page.
import { type DetailedError, Upload } from "tus-js-client";
import { reasonHeader } from "@/shared/api/disk-client";
import { pageToken } from "@/shared/api/page-token";
import { isProxyLimit } from "@/shared/api/proxies";
import { settledToken } from "@/shared/api/renew";
import { endSession } from "@/shared/api/session-end";
import { diskAddress } from "../disk-address";
import { outcomeOf } from "./outcome";
import { pieceSize, shrinkBelow } from "./piece-size";
import type { UploadJob } from "./plan";
import type { Outcome, Transfer } from "./queue";
import { forgetPieces, piecesOf, rememberPieces } from "./remembered";

/** Together longer than a server takes to restart. Progress starts them afresh. */
const retryDelays = [300, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** The used part of the protocol client's errors. */
interface Refusal {
  originalRequest?: { getMethod: () => string; getHeader: (name: string) => string | undefined } | null;
  originalResponse?: { getStatus: () => number } | null;
}

const statusOf = (error: Refusal) => error.originalResponse?.getStatus() ?? 0;

/**
 * Whether an error may pass: a broken connection, a busy server, or an offset that another request moved. A refusal
 * does not.
 */
export function mayPass(error: Refusal): boolean {
  const status = statusOf(error);
  if (status === 409) return error.originalRequest?.getMethod() === "PATCH";
  return status === 0 || status === 423 || status === 429 || (status >= 500 && status !== 507);
}

/** Where the refused piece begins in its file; nothing when it was no piece. */
function offsetOf({ originalRequest }: Refusal): number | null {
  const offset =
    originalRequest?.getMethod() === "PATCH" ? originalRequest.getHeader("Upload-Offset") : undefined;
  return offset === undefined ? null : Number(offset);
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
  /** The token of the last request, and whether a refused one was already replaced. */
  let sent: string | null = null;
  let exchanged = false;
  const known = piecesOf(job.path, content);
  let brokeAt: number | null = null;

  /** False when the piece that begins there was as small as pieces get. */
  function shrink(offset: number): boolean {
    const refused = Math.min(upload.options.chunkSize ?? content.size, content.size - offset);
    if (!shrinkBelow(refused)) return false;
    upload.options.chunkSize = pieceSize();
    return true;
  }

  function shouldRetry(error: Refusal): boolean {
    const offset = statusOf(error) === 0 ? offsetOf(error) : null;
    // The server answered with the offset, and the same piece breaks again: a proxy that closes the connection on large
    // bodies, or whose refusal another origin may not read, looks like this.
    if (offset !== null && offset === brokeAt) shrink(offset);
    brokeAt = offset;
    return mayPass(error);
  }

  const upload = new Upload(content, {
    endpoint: diskAddress(storageHost, "tus", job.path, { override: String(job.overwrite) }).href,
    ...(known && { uploadUrl: known.url }),
    metadata: { filename: content.name, lastModified: String(content.lastModified) },
    chunkSize: pieceSize(),
    retryDelays,
    // Remembered by our own book, which the panel reads after a reload.
    storeFingerprintForResuming: false,
    onBeforeRequest: (request) => {
      sent = pageToken();
      if (sent) request.setHeader("Authorization", `Bearer ${sent}`);
    },
    onShouldRetry: shouldRetry,
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
    const offset = isProxyLimit(status, line) ? offsetOf(cause) : null;
    if (offset !== null && shrink(offset)) {
      upload.start();
      return;
    }
    if (status === 401 && sent) {
      const current = exchanged ? null : await settledToken(sent);
      exchanged = true;
      if (current) {
        upload.start();
        return;
      }
      endSession(sent, 401, line);
    }
    const reason = cause.originalResponse?.getHeader(reasonHeader) ?? null;
    end({ ...outcomeOf({ status, line, reason }), ...(status === 0 && { keeps: true }) });
  }

  upload.start();
  return { done, abort: () => void upload.abort() };
}

/** Tells the server that nothing more will come. It would notice by itself after a while, so a failure is ignored. */
export async function endTus(url: string): Promise<void> {
  const token = pageToken();
  await Upload.terminate(url, {
    headers: token ? { Authorization: `Bearer ${token}` } : {},
    retryDelays: null,
  }).catch(() => {});
}
