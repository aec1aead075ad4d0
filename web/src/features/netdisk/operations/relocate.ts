// Copies or moves a list of entries, one after the other, and asks where a name is taken. Knows neither React nor the
// network.
import type { Progress } from "./useProgressToast";

export type Verb = "copy" | "rename";

/** Name and path of an entry. */
export interface Moved {
  from: string;
  name: string;
}

export interface Relocation {
  verb: Verb;
  items: readonly Moved[];
  /** The target folder. */
  to: string;
  /** A taken name gets a number without asking: pasting beside the original. */
  rename?: boolean;
}

export type Choice = "overwrite" | "rename";

/** The answer for one name, or for all that follow; `null` cancels the whole operation. */
export type Answer = { choice: Choice; forAll: boolean } | null;

export interface Steps {
  /** `going` continues as a task, `vanished` does not exist any more. Throws the message of any other error. */
  patch: (
    item: Moved,
    to: string,
    flags: { override: boolean; rename: boolean },
  ) => Promise<"done" | "going" | "taken" | "vanished">;
  ask: (item: Moved, to: string, left: number) => Promise<Answer>;
}

export interface Result {
  done: Moved[];
  /** Long ones that continue as tasks. */
  going: Moved[];
  /** Entries that did not exist any more. */
  vanished: Moved[];
  /** `name：reason`, also of vanished ones. */
  failed: string[];
  cancelled: boolean;
}

const flagsOf = (choice: Choice) => ({ override: choice === "overwrite", rename: choice === "rename" });

function note(result: Result, outcome: "done" | "going" | "vanished", item: Moved) {
  result[outcome].push(item);
  if (outcome === "vanished") result.failed.push(`${item.name}：已不在原来的位置`);
}

/** Reports to `progress`, which can also stop it. */
export async function relocate(
  { items, to, rename = false }: Relocation,
  steps: Steps,
  progress: Pick<Progress, "signal" | "step">,
): Promise<Result> {
  const result: Result = { done: [], going: [], vanished: [], failed: [], cancelled: false };
  let standing: Choice | null = null;

  async function choose(item: Moved, left: number): Promise<Choice | null> {
    if (standing) return standing;
    const answer = await steps.ask(item, to, left);
    if (answer?.forAll) standing = answer.choice;
    return answer?.choice ?? null;
  }

  /** `null` when the whole operation was given up. */
  async function relocateOne(item: Moved, left: number) {
    const outcome = await steps.patch(item, to, { override: false, rename });
    if (outcome !== "taken") return outcome;
    const choice = await choose(item, left);
    if (!choice) return null;
    const second = await steps.patch(item, to, flagsOf(choice));
    if (second === "taken") throw new Error("同名的一个是文件，一个是文件夹");
    return second;
  }

  for (const [index, item] of items.entries()) {
    if (progress.signal.aborted) return { ...result, cancelled: true };
    try {
      const outcome = await relocateOne(item, items.length - index);
      if (!outcome) return { ...result, cancelled: true };
      note(result, outcome, item);
    } catch (cause) {
      result.failed.push(`${item.name}：${cause instanceof Error ? cause.message : "失败"}`);
    }
    progress.step();
  }
  return result;
}

/** Why these may not go there; `undefined` when they may. */
export function faultOfTarget(items: readonly Moved[], to: string): string | undefined {
  const inside = items.find(({ from }) => to === `${from}/` || to.startsWith(`${from}/`));
  return inside && "不能放进自己里面";
}
