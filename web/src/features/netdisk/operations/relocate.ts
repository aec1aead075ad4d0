// Copies or moves a list of entries, one after the other, and asks where a name is taken. Knows neither React nor the
// network.

export type Verb = "copy" | "rename";

/** What an entry is called, and where it is. */
export interface Moved {
  from: string;
  name: string;
}

export interface Relocation {
  verb: Verb;
  items: readonly Moved[];
  /** The folder that it goes into. */
  to: string;
  /** A taken name gets a number without asking: pasting beside the original. */
  rename?: boolean;
}

export type Choice = "overwrite" | "rename";

/** The answer for one name, or for all that follow; `null` gives the whole operation up. */
export type Answer = { choice: Choice; forAll: boolean } | null;

export interface Steps {
  /** `going` goes on by itself, `vanished` is not where it was. Throws the words of what else went wrong. */
  patch: (
    item: Moved,
    to: string,
    flags: { override: boolean; rename: boolean },
  ) => Promise<"done" | "going" | "taken" | "vanished">;
  ask: (item: Moved, to: string, left: number) => Promise<Answer>;
}

export interface Result {
  done: Moved[];
  /** What takes long and goes on as a task. */
  going: Moved[];
  /** What was not there any more. */
  vanished: Moved[];
  /** `name：reason`, also of what has vanished. */
  failed: string[];
  cancelled: boolean;
}

const flagsOf = (choice: Choice) => ({ override: choice === "overwrite", rename: choice === "rename" });

function note(result: Result, outcome: "done" | "going" | "vanished", item: Moved) {
  result[outcome].push(item);
  if (outcome === "vanished") result.failed.push(`${item.name}：已不在原来的位置`);
}

export async function relocate({ items, to, rename = false }: Relocation, steps: Steps): Promise<Result> {
  const result: Result = { done: [], going: [], vanished: [], failed: [], cancelled: false };
  let standing: Choice | null = null;
  for (const [index, item] of items.entries()) {
    try {
      let outcome = await steps.patch(item, to, { override: false, rename });
      if (outcome === "taken") {
        const answer: Answer = standing
          ? { choice: standing, forAll: true }
          : await steps.ask(item, to, items.length - index);
        if (!answer) return { ...result, cancelled: true };
        if (answer.forAll) standing = answer.choice;
        outcome = await steps.patch(item, to, flagsOf(answer.choice));
        if (outcome === "taken") throw new Error("同名的一个是文件，一个是文件夹");
      }
      note(result, outcome, item);
    } catch (cause) {
      result.failed.push(`${item.name}：${cause instanceof Error ? cause.message : "失败"}`);
    }
  }
  return result;
}

/** Why these may not go there; `undefined` when they may. */
export function faultOfTarget(items: readonly Moved[], to: string): string | undefined {
  const inside = items.find(({ from }) => to === `${from}/` || to.startsWith(`${from}/`));
  return inside && "不能放进自己里面";
}
