// The effect of a storage host's response on its upload job.
import { diskWords } from "@/shared/api/disk-client";
import type { Answer } from "./plain-call";
import type { Outcome } from "./queue";

export function outcomeOf({ status, line, reason }: Omit<Answer, "retryAfter">): Outcome {
  if (status >= 200 && status < 300) return { kind: "finished" };
  // It can't be replaced: a file is never uploaded over a folder.
  if (reason === "folder_there") return { kind: "failed", reason: diskWords(status, line, reason) };
  if (status === 409) return { kind: "conflict" };
  if (status === 401) return { kind: "signedOut" };
  return { kind: "failed", reason: status === 0 ? "网络中断" : diskWords(status, line, reason) };
}
