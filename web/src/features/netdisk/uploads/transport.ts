// Sends one job to the storage host. XMLHttpRequest, because `fetch` cannot say how much of a body has gone out; the
// browser reads the file from the disk while it sends, so that nothing of it is kept in memory.

import { diskWords } from "@/shared/api/disk-client";
import { settledToken } from "@/shared/api/renew";
import { endSession } from "@/shared/api/session-end";
import { storedToken } from "@/shared/api/token";
import { diskAddress } from "../disk-address";
import type { UploadJob } from "./plan";
import type { Outcome, Transport } from "./queue";

interface Answer {
  /** 0 when none came. */
  status: number;
  line: string;
}

interface Call {
  address: URL;
  body: File | null;
  onProgress: (loaded: number) => void;
}

class SignedCall {
  private request: XMLHttpRequest | null = null;
  private aborted = false;

  abort() {
    this.aborted = true;
    this.request?.abort();
  }

  /** Tried once more when another tab has renewed the token meanwhile. */
  async send(call: Call): Promise<Answer> {
    const token = storedToken();
    const answer = await this.once(call, token);
    if (answer.status !== 401 || token === null) return answer;
    const current = await settledToken(token);
    if (current !== null) return this.once(call, current);
    endSession(token, 401, answer.line);
    return answer;
  }

  private once({ address, body, onProgress }: Call, token: string | null): Promise<Answer> {
    return new Promise((resolve) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open("POST", address);
      // The file keeps the time that it had on the person's own disk.
      if (body) request.setRequestHeader("x-modified", String(Math.floor(body.lastModified / 1000)));
      if (token) request.setRequestHeader("authorization", `Bearer ${token}`);
      request.upload.onprogress = ({ loaded }) => onProgress(loaded);
      request.onloadend = () => resolve({ status: request.status, line: request.responseText });
      if (this.aborted) resolve({ status: 0, line: "" });
      else request.send(body);
    });
  }
}

function outcomeOf({ status, line }: Answer): Outcome {
  if (status >= 200 && status < 300) return { kind: "finished" };
  if (status === 409) return { kind: "conflict" };
  if (status === 401) return { kind: "signedOut" };
  return { kind: "failed", reason: status === 0 ? "网络中断" : diskWords(status, line) };
}

/** A folder of this name is no question of replacing: nobody may upload a file over it. */
const isFolderThere = ({ status, line }: Answer) => status === 409 && line.includes("a folder is there");

async function upload(
  storageHost: string,
  job: UploadJob,
  call: SignedCall,
  onProgress: (n: number) => void,
): Promise<Outcome> {
  const { content, isDir } = job.file;
  const query = isDir ? undefined : { override: String(job.overwrite) };
  const address = diskAddress(storageHost, "resources", job.path, query);
  const answer = await call.send({ address, body: content, onProgress });
  if (isFolderThere(answer)) return { kind: "failed", reason: diskWords(answer.status, answer.line) };
  return outcomeOf(answer);
}

/** `storageHost` is asked for at each job: the setting may change while the page is open. */
export function xhrTransport(storageHost: () => string): Transport {
  return (job, onProgress) => {
    const call = new SignedCall();
    return { done: upload(storageHost(), job, call, onProgress), abort: () => call.abort() };
  };
}
