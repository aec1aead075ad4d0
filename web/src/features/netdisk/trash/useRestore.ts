// Restores deleted entries; under another name where theirs was taken meanwhile.

import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { asApiError } from "@/shared/api/problem";
import { formatCount } from "@/shared/lib/numbers";
import { netdiskKey } from "../api";
import { useDisk } from "../disk-context";
import { nameOf, shownName } from "../disk-paths";
import { restore, type TrashItem } from "./api";

const key = "netdisk-restore";

function failedWords(failed: readonly string[], restored: number): string {
  const several = failed.length > 1 ? `${formatCount(failed.length)} 项` : "";
  return `${several}恢复失败：${failed[0]}${restored > 0 ? `；其余 ${formatCount(restored)} 项已恢复` : ""}`;
}

function doneWords(restored: number, renamed: readonly string[]): string {
  const [first] = renamed;
  if (first === undefined) return `已恢复 ${formatCount(restored)} 项`;
  if (renamed.length === 1)
    return `已恢复 ${formatCount(restored)} 项，原处已有同名的，恢复为 ${shownName(first)}`;
  return `已恢复 ${formatCount(restored)} 项，其中 ${renamed.length} 项改了名，原处已有同名的`;
}

export function useRestore() {
  const { host } = useDisk();
  const { message } = App.useApp();
  const client = useQueryClient();

  async function one(item: TrashItem): Promise<string> {
    try {
      await restore(host, item.id);
      return item.name;
    } catch (cause) {
      if (asApiError(cause).status !== 409) throw cause;
      const there = await restore(host, item.id, true);
      return typeof there === "object" && "path" in there ? nameOf(there.path) : item.name;
    }
  }

  return async function start(items: readonly TrashItem[]) {
    message.open({ key, type: "loading", content: "正在恢复…", duration: 0 });
    const failed: string[] = [];
    const renamed: string[] = [];
    for (const item of items) {
      try {
        const name = await one(item);
        if (name !== item.name) renamed.push(name);
      } catch (cause) {
        const { status, message: words } = asApiError(cause);
        failed.push(`${shownName(item.name)}：${status === 404 ? "已不在回收站里" : words}`);
      }
    }
    void client.invalidateQueries({ queryKey: netdiskKey });
    const restored = items.length - failed.length;
    if (failed.length > 0) {
      message.open({ key, type: "error", content: failedWords(failed, restored), duration: 2 });
    } else message.open({ key, type: "success", content: doneWords(restored, renamed), duration: 1.5 });
  };
}
