// A task in words.
import { diskLineWords } from "@/shared/api/disk-client";
import { nameOf, shownName } from "../disk-paths";
import type { Task } from "./api";

const verbs: Record<Task["kind"], string> = {
  copy: "复制",
  move: "移动",
  extract: "解压",
  compress: "压缩",
};

/** 复制 data.tar. What several things are packed into says more than the folder that they lie in. */
export function taskTitle({ kind, source, destination }: Task): string {
  const several = kind === "compress" && source.endsWith("/");
  return several ? `压缩为 ${shownName(nameOf(destination))}` : `${verbs[kind]} ${shownName(nameOf(source))}`;
}

export const taskFault = ({ error }: Task) => (error ? diskLineWords(error) : "没有说明原因");
