// Acts on the user's own running instances, by their word: "续期", or "终端 检测模型".
import { asApiError } from "@/shared/api/problem";
import type { InstanceView, useExtend } from "@/shared/compute/api";
import { terminalLink } from "@/shared/compute/links";
import { extended, whenText } from "@/shared/compute/text";
import type { Choice } from "./choice";
import { bestOf } from "./matching";

export type QuickAct = "extend" | "terminal";

const acts: readonly { act: QuickAct; names: readonly string[] }[] = [
  { act: "extend", names: ["续期", "延长", "xuqi", "extend"] },
  { act: "terminal", names: ["终端", "zhongduan", "terminal", "shell", "ssh"] },
];

/** A single letter begins too much. */
const means = (word: string, names: readonly string[]) =>
  word.length > 1 && names.some((name) => name.startsWith(word));

/** The act that the first or the last word means, and the other words. */
export function quickActOf(words: readonly string[]): { act: QuickAct; rest: string[] } | null {
  for (const at of new Set([0, words.length - 1])) {
    const word = words[at];
    const meant = word && acts.find(({ names }) => means(word, names));
    if (meant) return { act: meant.act, rest: words.filter((_, index) => index !== at) };
  }
  return null;
}

const most = 5;

const hours = 24;

interface QuickActContext {
  /** The promise outlives the dialog in which it was begun. */
  extend: ReturnType<typeof useExtend>["mutateAsync"];
  say: (words: string, ok: boolean) => void;
}

function choiceOf(act: QuickAct, instance: InstanceView, { extend, say }: QuickActContext): Choice[] {
  const { id, name, note, server, stopAt } = instance;
  const shown = note || name;
  const about = [server?.name, note && name].filter(Boolean).join(" · ");
  if (act === "terminal") {
    const to = terminalLink(instance);
    return to
      ? [{ key: `terminal ${id}`, icon: "terminal", title: `打开终端：${shown}`, about, act: { to } }]
      : [];
  }
  const longer = extended(stopAt, hours);
  const run = () =>
    void extend({ id, stopAt: longer.toISOString() }).then(
      () => say(`${shown} 将于 ${whenText(longer.toDate())} 停止`, true),
      (error: unknown) => say(asApiError(error).message, false),
    );
  const until = stopAt ? `现在将于 ${whenText(stopAt)} 停止` : "";
  const facts = [until, about].filter(Boolean).join(" · ");
  return [
    { key: `extend ${id}`, icon: "clock", title: `续期 24 小时：${shown}`, about: facts, act: { run } },
  ];
}

/** Instances that have no time to stop need no more of it. */
export function quickChoices(
  quick: NonNullable<ReturnType<typeof quickActOf>>,
  instances: readonly InstanceView[],
  context: QuickActContext,
): Choice[] {
  const fitting = instances.filter(
    ({ state, stopAt }) => state === "running" && (quick.act === "terminal" || stopAt),
  );
  const textsOf = ({ name, note, image, server }: InstanceView) => ({
    title: note || name,
    more: [name, image, server?.name].join(" "),
  });
  return bestOf(fitting, quick.rest, most, textsOf).flatMap((one) => choiceOf(quick.act, one, context));
}
