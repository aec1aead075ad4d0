// What an answer of the storage host means for the job that it belongs to.
import { diskWords } from "@/shared/api/disk-client";
import type { Outcome } from "./queue";
import type { Answer } from "./signed-call";

/** A folder of this name is no question of replacing: nobody may upload a file over it. */
const isFolderThere = ({ status, line }: Answer) => status === 409 && line.includes("a folder is there");

export function outcomeOf(answer: Answer): Outcome {
  const { status, line } = answer;
  if (status >= 200 && status < 300) return { kind: "finished" };
  if (isFolderThere(answer)) return { kind: "failed", reason: diskWords(status, line) };
  if (status === 409) return { kind: "conflict" };
  if (status === 401) return { kind: "signedOut" };
  return { kind: "failed", reason: status === 0 ? "网络中断" : diskWords(status, line) };
}
