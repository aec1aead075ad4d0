// The effect of a storage host's response on its upload job.
import { diskWords } from "@/shared/api/disk-client";
import type { Outcome } from "./queue";
import type { Answer } from "./signed-call";

/** A folder with this name cannot be replaced: a file is never uploaded over it. */
const isFolderThere = ({ status, line }: Answer) => status === 409 && line.includes("a folder is there");

export function outcomeOf(answer: Answer): Outcome {
  const { status, line } = answer;
  if (status >= 200 && status < 300) return { kind: "finished" };
  if (isFolderThere(answer)) return { kind: "failed", reason: diskWords(status, line) };
  if (status === 409) return { kind: "conflict" };
  if (status === 401) return { kind: "signedOut" };
  return { kind: "failed", reason: status === 0 ? "网络中断" : diskWords(status, line) };
}
