// Copying and moving as the pages do it: with a question where a name is taken, and a word on how it went.
import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { asApiError } from "@/shared/api/problem";
import { netdiskKey, patchResource } from "../api";
import { useDisk } from "../disk-context";
import { fileIn } from "../disk-paths";
import { openOverlay } from "../overlay";
import { type Answer, faultOfTarget, type Moved, type Relocation, relocate, type Verb } from "./relocate";

const words: Record<Verb, string> = { copy: "复制", rename: "移动" };
const key = "netdisk-relocate";

const ask = (verb: Verb) => (item: Moved, to: string, left: number) =>
  new Promise<Answer>((resolve) => {
    // Closing it answers too; the first answer is the one that counts.
    const onAnswer = (answer: Answer) => resolve(answer);
    openOverlay({ name: "replace-rename", question: { verb, item, to, several: left > 1 }, onAnswer });
  });

export function useRelocate() {
  const { host } = useDisk();
  const { message } = App.useApp();
  const client = useQueryClient();

  /** Answers whether all went well. */
  return async function start(relocation: Relocation): Promise<boolean> {
    const { verb, items, to } = relocation;
    const word = words[verb];
    const fault = faultOfTarget(items, to);
    if (fault) {
      message.open({ key, type: "error", content: `${word}失败：${fault}`, duration: 2 });
      return false;
    }
    message.open({ key, type: "loading", content: `正在${word}…`, duration: 0 });
    const result = await relocate(relocation, {
      ask: ask(verb),
      patch: async (item, folder, flags) => {
        try {
          await patchResource(host, verb, item.from, fileIn(folder, item.name), flags);
          return "done";
        } catch (cause) {
          const error = asApiError(cause);
          if (error.status === 409 && !flags.override && !flags.rename) return "taken";
          throw error;
        }
      },
    });
    // Half of it may have happened.
    void client.invalidateQueries({ queryKey: netdiskKey });
    const [first] = result.failed;
    const done = `已${word} ${result.done.length} 项`;
    if (first !== undefined) {
      const several = result.failed.length > 1 ? `${result.failed.length} 项` : "";
      message.open({ key, type: "error", content: `${several}${word}失败：${first}`, duration: 2 });
    } else if (result.cancelled) message.open({ key, type: "info", content: `已取消，${done}`, duration: 1 });
    else message.open({ key, type: "success", content: done, duration: 1.5 });
    return first === undefined && !result.cancelled;
  };
}
