// A task in words.
import { diskWords } from "@/shared/api/disk-client";
import { nameOf, shownName } from "../disk-paths";
import type { Task } from "./api";

const verbs: Record<Task["kind"], string> = {
  copy: "复制",
  move: "移动",
  extract: "解压",
  compress: "压缩",
};

/** 复制 data.tar. For several packed entries the archive's name says more than their folder's. */
export function taskTitle({ kind, source, destination }: Task): string {
  const several = kind === "compress" && source.endsWith("/");
  return several ? `压缩为 ${shownName(nameOf(destination))}` : `${verbs[kind]} ${shownName(nameOf(source))}`;
}

export const taskFault = ({ error, reason }: Task) =>
  error ? diskWords(Number.parseInt(error, 10), error, reason) : "没有说明原因";
