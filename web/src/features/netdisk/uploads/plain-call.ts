// One POST of a file or folder. XMLHttpRequest, because `fetch` does not report the progress of a body; the browser
// reads the file from the disk while it sends, so that nothing of it is kept in memory.
import { reasonHeader } from "@/shared/api/disk-client";

export interface Answer {
  /** 0 without a response. */
  status: number;
  line: string;
  /** The code of the reason, if it was refused for one. */
  reason: string | null;
  /** Seconds until another try may succeed; 0 where none were named. */
  retryAfter: number;
}

/** The modification time on the person's own disk, which the file keeps; in seconds. */
const modifiedSeconds = (file: File) => String(Math.floor(file.lastModified / 1000));

export class PlainCall {
  private request: XMLHttpRequest | null = null;
  private aborted = false;

  abort() {
    this.aborted = true;
    this.request?.abort();
  }

  /** With these headers and no others of its own but the file's time. */
  post(
    address: URL,
    body: File | null,
    headers: Readonly<Record<string, string>>,
    onProgress: (loaded: number) => void,
  ): Promise<Answer> {
    return new Promise((resolve) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open("POST", address);
      if (body) request.setRequestHeader("x-modified", modifiedSeconds(body));
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded }) => onProgress(loaded);
      request.onloadend = () =>
        resolve({
          status: request.status,
          line: request.responseText,
          reason: request.getResponseHeader(reasonHeader),
          retryAfter: Number(request.getResponseHeader("retry-after")) || 0,
        });
      if (this.aborted) resolve({ status: 0, line: "", reason: null, retryAfter: 0 });
      else request.send(body);
    });
  }
}
