// All that can be chosen for what was typed, in sections whose order never changes, so that nothing jumps when the
// servers answer.
import { useQuery } from "@tanstack/react-query";
import { App } from "antd";
import { trustedStorageHost } from "@/shared/api/public-settings";
import { myInstancesQuery, useExtend } from "@/shared/compute/api";
import { useSettled } from "@/shared/lib/use-settled";
import { useSession } from "@/shared/stores/session";
import { useScheme } from "@/shared/theme/use-scheme";
import type { Failure } from "@/shared/ui/failure";
import type { Choice, Section } from "./choice";
import { actionsFor, pagesFor } from "./local-choices";
import { fitOf, wordsOf } from "./matching";
import { quickActOf, quickChoices } from "./quick-acts";
import { recentOf } from "./recent";
import {
  diskAddress,
  fileChoice,
  filesQuery,
  isEnoughForFiles,
  sectionOfThing,
  thingChoice,
  thingSections,
  thingsQuery,
} from "./server-choices";

/** In milliseconds: a pause in typing. */
const pause = 120;

export interface Choices {
  sections: Section[];
  /** Some of it may still come. */
  busy: boolean;
  /** What could not be looked for. */
  failures: { what: string; error: Failure; retry: () => void }[];
}

/** An answer to other words is shown as far as it fits the present ones. */
const fitting = (choices: Choice[], words: readonly string[]) =>
  choices.filter(({ title, about }) => fitOf(words, { title, more: about }) !== null);

const filled = (sections: Section[]) => sections.filter(({ choices }) => choices.length > 0);

export function useChoices(typed: string): Choices {
  const { id, role } = useSession();
  const scheme = useScheme();
  const words = wordsOf(typed);
  const things = useThings(typed, words);
  const files = useFiles(typed, words);
  const quick = useQuickChoices(words);
  if (words.length === 0) {
    const recent = recentOf(id);
    const others = (choices: Choice[]) => choices.filter(({ key }) => !recent.some((one) => one.key === key));
    const sections = [
      { title: "最近", choices: recent },
      { title: "操作", choices: others(actionsFor(role, [], scheme)) },
      { title: "页面", choices: others(pagesFor(role, [])) },
    ];
    return { sections: filled(sections), busy: false, failures: [] };
  }
  const sections = [
    { title: "页面", choices: pagesFor(role, words) },
    { title: "操作", choices: [...quick, ...actionsFor(role, words, scheme)] },
    ...things.sections,
    { title: "文件", choices: files.choices },
    { title: "更多", choices: [everywhereOnDisk(typed)] },
  ];
  return {
    sections: filled(sections),
    busy: things.busy || files.busy,
    failures: [...things.failures, ...files.failures],
  };
}

/** The disk's own search, which goes through all folders and knows types. */
const everywhereOnDisk = (typed: string): Choice => ({
  key: "disk search",
  icon: "search",
  title: `在网盘里搜索“${typed.trim()}”`,
  about: "可以按类型筛选",
  act: { to: `${diskAddress("/")}?${new URLSearchParams({ search: typed.trim() })}` },
});

function useThings(typed: string, words: readonly string[]) {
  const q = useSettled(typed.trim(), pause);
  const query = useQuery({ ...thingsQuery(q), enabled: q !== "" && words.length > 0 });
  const items = words.length > 0 ? (query.data?.items ?? []) : [];
  const isOld = q !== typed.trim() || query.isPlaceholderData;
  const sections = thingSections.map((title) => {
    const choices = items.filter((item) => sectionOfThing(item) === title).map(thingChoice);
    return { title, choices: isOld ? fitting(choices, words) : choices };
  });
  const retry = () => void query.refetch();
  return {
    sections,
    busy: isOld || query.isFetching,
    failures: query.error ? [{ what: "实例、服务器等", error: query.error, retry }] : [],
  };
}

function useFiles(typed: string, words: readonly string[]) {
  const q = useSettled(typed.trim(), pause);
  const wanted = words.length > 0 && isEnoughForFiles(typed.trim());
  // Without words the storage host gets the names ready.
  const query = useQuery({
    ...filesQuery(trustedStorageHost(), isEnoughForFiles(q) ? q : ""),
    enabled: wanted || typed === "",
  });
  const isOld = q !== typed.trim() || query.isPlaceholderData;
  const choices = wanted ? (query.data?.items ?? []).map(fileChoice) : [];
  const retry = () => void query.refetch();
  return {
    choices: isOld ? fitting(choices, words) : choices,
    busy: wanted && (isOld || query.isFetching || query.data?.searching === true),
    failures: wanted && query.error ? [{ what: "网盘文件", error: query.error, retry }] : [],
  };
}

function useQuickChoices(words: readonly string[]): Choice[] {
  const { message } = App.useApp();
  const extend = useExtend();
  const quick = quickActOf(words);
  const instances = useQuery({ ...myInstancesQuery, enabled: quick !== null }).data?.items ?? [];
  if (!quick) return [];
  const say = (said: string, ok: boolean) => void message[ok ? "success" : "error"](said, 2);
  return quickChoices(quick, instances, { extend: extend.mutateAsync, say });
}
