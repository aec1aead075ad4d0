// Copying and moving in the pages: with a question where a name is taken, and a message of the outcome. Long operations
// continue as tasks, also when the page is left.

import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { asApiError } from "@/shared/api/problem";
import { formatCount } from "@/shared/lib/numbers";
import { isThere, netdiskKey, patchResource } from "../api";
import { useDisk } from "../disk-context";
import { fileIn } from "../disk-paths";
import { openOverlay } from "../overlay";
import { isOpen, tasksQuery } from "../tasks/api";
import { makeSender } from "./patience";
import {
  type Answer,
  faultOfTarget,
  type Moved,
  type Relocation,
  type Result,
  relocate,
  type Steps,
  type Verb,
} from "./relocate";
import { useProgressToast } from "./useProgressToast";

const words: Record<Verb, string> = { copy: "复制", rename: "移动" };
const key = "netdisk-relocate";

const ask = (verb: Verb) => (item: Moved, to: string, left: number) =>
  new Promise<Answer>((resolve) => {
    // Closing it answers too; the first answer counts.
    const onAnswer = (answer: Answer) => resolve(answer);
    openOverlay({ name: "replace-rename", question: { verb, item, to, several: left > 1 }, onAnswer });
  });

type Patched = Awaited<ReturnType<typeof patchResource>>;

/** The response is the new path, or the task that it became, whose end the panel reports. */
function taskState(answer: Patched): "queued" | "running" | null {
  if (typeof answer === "string" || !("state" in answer)) return null;
  return answer.state === "queued" ? "queued" : "running";
}

export function useRelocate() {
  const { host } = useDisk();
  const { message } = App.useApp();
  const client = useQueryClient();
  const begin = useProgressToast(key);

  function stepsOf(verb: Verb): Steps {
    const send = makeSender();
    const isFull = async (cause: unknown) =>
      asApiError(cause).status === 423 &&
      (await client.fetchQuery({ ...tasksQuery(host), staleTime: 0 })).some(isOpen);
    return {
      ask: ask(verb),
      patch: async ({ from, name }, folder, flags) => {
        const patch = { action: verb, from, destination: fileIn(folder, name), ...flags };
        try {
          return await send({
            send: async (prefer) => taskState(await patchResource(host, patch, prefer)),
            isFull,
          });
        } catch (cause) {
          const error = asApiError(cause);
          if (error.status === 409 && !flags.override && !flags.rename) return "taken";
          // The target folder may be the missing one.
          if (error.status === 404 && !(await isThere(host, from))) return "vanished";
          throw error;
        }
      },
    };
  }

  function tell(word: string, { done, going, failed, cancelled }: Result, note: string) {
    const [first] = failed;
    const how =
      going.length === 0
        ? `已${word} ${formatCount(done.length)} 项`
        : `${formatCount(going.length)} 项在后台${word}`;
    if (first !== undefined) {
      const several = failed.length > 1 ? `${formatCount(failed.length)} 项` : "";
      message.open({ key, type: "error", content: `${several}${word}失败：${first}${note}`, duration: 2 });
    } else if (cancelled) message.open({ key, type: "info", content: `已取消，${how}`, duration: 1 });
    else if (going.length > 0) message.open({ key, type: "info", content: how, duration: 1 });
    else message.open({ key, type: "success", content: how, duration: 1.5 });
  }

  /** Returns the entries that were not moved. `onVanished` gets those that do not exist any more, and reports them. */
  return async function start(
    relocation: Relocation,
    onVanished: (items: readonly Moved[]) => string = () => "",
  ): Promise<readonly Moved[]> {
    const { verb, items, to } = relocation;
    const word = words[verb];
    const fault = faultOfTarget(items, to);
    if (fault) {
      message.open({ key, type: "error", content: `${word}失败：${fault}`, duration: 2 });
      return items;
    }
    const progress = begin(word, items.length);
    const result = await relocate(relocation, stepsOf(verb), progress);
    progress.end();
    // Half of it may have happened.
    void client.invalidateQueries({ queryKey: netdiskKey });
    if (result.going.length > 0) void client.invalidateQueries({ queryKey: tasksQuery(host).queryKey });
    const { done, going, vanished } = result;
    tell(word, result, vanished.length > 0 ? onVanished(vanished) : "");
    const gone = new Set([...done, ...going, ...vanished]);
    return items.filter((item) => !gone.has(item));
  };
}
