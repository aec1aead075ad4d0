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
        failed.push(`${shownName(item.name)}：${asApiError(cause).message}`);
      }
    }
    void client.invalidateQueries({ queryKey: netdiskKey });
    const [first] = failed;
    const [other] = renamed;
    if (first !== undefined) message.open({ key, type: "error", content: `恢复失败：${first}`, duration: 2 });
    else {
      const note = other === undefined ? "" : `，原处已有同名的，恢复为 ${shownName(other)}`;
      message.open({ key, type: "success", content: `已恢复 ${items.length} 项${note}`, duration: 1.5 });
    }
  };
}
