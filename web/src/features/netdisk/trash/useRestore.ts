// Brings deleted things back; where the name was taken meanwhile, under another one.
import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { asApiError } from "@/shared/api/problem";
import { netdiskKey } from "../api";
import { useDisk } from "../disk-context";
import { nameOf, shownName } from "../disk-paths";
import { restore, type TrashItem } from "./api";

const key = "netdisk-restore";

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
    const [first] = failed;
    const [other] = renamed;
    const restored = items.length - failed.length;
    if (first !== undefined) {
      const several = failed.length > 1 ? `${failed.length} 项` : "";
      const note = restored > 0 ? `；其余 ${restored} 项已恢复` : "";
      message.open({ key, type: "error", content: `${several}恢复失败：${first}${note}`, duration: 2 });
    } else {
      const one = renamed.length === 1 && other !== undefined;
      const note = one
        ? `，原处已有同名的，恢复为 ${shownName(other)}`
        : `，其中 ${renamed.length} 项改了名，原处已有同名的`;
      const content = `已恢复 ${restored} 项${renamed.length > 0 ? note : ""}`;
      message.open({ key, type: "success", content, duration: 1.5 });
    }
  };
}
