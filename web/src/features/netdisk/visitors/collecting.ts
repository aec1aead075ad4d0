// Sends files to a folder whose content the sender does not see. The queue is the one of the disk's own uploads; the
// requests differ, because they are not signed.
import { diskWords } from "@/shared/api/disk-client";
import { nameOf } from "../disk-paths";
import { type Answer, PlainCall } from "../uploads/plain-call";
import type { Outcome, Transport } from "../uploads/queue";
import { collectAddress } from "./api";
import type { Spot } from "./spot";

/** Characters that the server does not take from strangers: those that end a line, steer a terminal or turn the text round. */
const unfit = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** The name under which a file is sent, which the server would otherwise refuse. */
export function sentName(name: string): string {
  const fit = name
    .replace(unfit, "")
    .replace(/^[.\s]+/u, "")
    .trim();
  return fit === "" ? "未命名" : fit;
}

const words: Partial<Record<number, string>> = {
  0: "网络中断",
  401: "密码的有效时间过了，请刷新页面重新输入",
  404: "收集已结束",
};

export function collectOutcome({ status, line, reason }: Answer): Outcome {
  if (status >= 200 && status < 300) return { kind: "finished" };
  return { kind: "failed", reason: words[status] ?? diskWords(status, line, reason) };
}

/** Tries of one file when the server is busy; it names the seconds between them. */
const tries = 20;

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** `onEnd` is called when the link takes no more, so that the page looks again. */
export function collectTransport(spot: Spot, pass: () => string | null, onEnd: () => void): Transport {
  return (job, onProgress) => {
    const call = new PlainCall();
    let aborted = false;
    const send = async (): Promise<Outcome> => {
      const address = collectAddress(spot, nameOf(job.path), pass());
      for (let left = tries; ; left -= 1) {
        const answer = await call.post(address, job.file.content, {}, onProgress);
        if (answer.status === 429 && left > 1 && !aborted) {
          await wait(Math.max(1, answer.retryAfter));
          continue;
        }
        if (answer.status === 404 || answer.reason === "link_full") onEnd();
        return collectOutcome(answer);
      }
    };
    return {
      done: send(),
      abort: () => {
        aborted = true;
        call.abort();
      },
    };
  };
}
