// One POST of a file or folder. XMLHttpRequest, because `fetch` does not report the progress of a body; the browser
// reads the file from the disk while it sends, so that nothing of it is kept in memory.

import { reasonHeader } from "@/shared/api/disk-client";
import { pageToken } from "@/shared/api/page-token";
import { settledToken } from "@/shared/api/renew";
import { endSession } from "@/shared/api/session-end";

export interface Answer {
  /** 0 without a response. */
  status: number;
  line: string;
  /** The code of the reason, if it was refused for one. */
  reason: string | null;
}

/** The modification time on the person's own disk, which the file keeps; in seconds. */
const modifiedSeconds = (file: File) => String(Math.floor(file.lastModified / 1000));

export class SignedCall {
  private request: XMLHttpRequest | null = null;
  private aborted = false;

  abort() {
    this.aborted = true;
    this.request?.abort();
  }

  /** Tried once more when another tab has renewed the token meanwhile. */
  async post(address: URL, body: File | null, onProgress: (loaded: number) => void): Promise<Answer> {
    const token = pageToken();
    const answer = await this.once(address, body, onProgress, token);
    if (answer.status !== 401 || token === null) return answer;
    const current = await settledToken(token);
    if (current !== null) return this.once(address, body, onProgress, current);
    endSession(token, 401, answer.line);
    return answer;
  }

  private once(
    address: URL,
    body: File | null,
    onProgress: (loaded: number) => void,
    token: string | null,
  ): Promise<Answer> {
    return new Promise((resolve) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open("POST", address);
      if (body) request.setRequestHeader("x-modified", modifiedSeconds(body));
      if (token) request.setRequestHeader("authorization", `Bearer ${token}`);
      request.upload.onprogress = ({ loaded }) => onProgress(loaded);
      request.onloadend = () =>
        resolve({
          status: request.status,
          line: request.responseText,
          reason: request.getResponseHeader(reasonHeader),
        });
      if (this.aborted) resolve({ status: 0, line: "", reason: null });
      else request.send(body);
    });
  }
}
