// The plan as it is filled in, and what the API takes; pure.
import type { Action, Departure, DepartureDetail, Holdings, Plan } from "./api";
import { actionsOf, kindLabels, needsReceiver, type PlannedKind } from "./words";

export interface Choice {
  action: Action;
  /** Left out: the receiver of everything. */
  receiver?: number | undefined;
}

export interface Draft {
  /** Who gets everything that nobody else is named for. */
  receiver: number | undefined;
  kinds: Readonly<Record<PlannedKind, Choice>>;
  /** What is dealt with otherwise than its kind, by id. */
  exceptions: Readonly<Record<string, Choice & { kind: PlannedKind }>>;
}

export const plannedKinds: readonly PlannedKind[] = ["instance", "dataset", "image", "group", "files"];

const usual = (kind: PlannedKind): Choice => ({ action: actionsOf[kind][0]?.value ?? "delete" });

export const emptyDraft: Draft = {
  receiver: undefined,
  kinds: {
    instance: usual("instance"),
    dataset: usual("dataset"),
    image: usual("image"),
    group: usual("group"),
    files: usual("files"),
  },
  exceptions: {},
};

export interface Thing {
  id: string;
  name: string;
}

/** Things of a kind; a home is no list. */
export function thingsOf(holdings: Holdings, kind: PlannedKind): readonly Thing[] {
  switch (kind) {
    case "instance":
      return holdings.instances;
    case "dataset":
      return holdings.datasets;
    case "image":
      return holdings.images;
    case "group":
      return holdings.groups;
    case "files":
      return [];
  }
}

/** Whether there is anything of a kind to decide on. */
export const isThere = (holdings: Holdings, kind: PlannedKind) =>
  kind === "files" || thingsOf(holdings, kind).length > 0;

/** What may always be said of a kind of which there is nothing. */
const nothing = (kind: PlannedKind): { action: Action; receiver: null } => ({
  action: kind === "group" || kind === "files" ? "keep" : "delete",
  receiver: null,
});

export function planOf(draft: Draft, holdings: Holdings): Plan {
  const sent = ({ action, receiver }: Choice) => ({
    action,
    receiver: needsReceiver(action) ? (receiver ?? draft.receiver ?? null) : null,
  });
  const of = (kind: PlannedKind) => (isThere(holdings, kind) ? sent(draft.kinds[kind]) : nothing(kind));
  const held = new Set(plannedKinds.flatMap((kind) => thingsOf(holdings, kind).map(({ id }) => id)));
  return {
    instances: of("instance"),
    datasets: of("dataset"),
    images: of("image"),
    groups: of("group"),
    files: of("files"),
    exceptions: Object.entries(draft.exceptions)
      .filter(([id]) => held.has(id))
      .map(([object, choice]) => ({ kind: choice.kind, object, ...sent(choice) })),
  };
}

const choicesOf = ({ instances, datasets, images, groups, files, exceptions }: Plan) => [
  instances,
  datasets,
  images,
  groups,
  files,
  ...(exceptions ?? []),
];

/** What is missing before the plan can be carried out. */
export function missingOf(draft: Draft, holdings: Holdings): string | undefined {
  const plan = planOf(draft, holdings);
  const withoutReceiver = choicesOf(plan).some(
    ({ action, receiver }) => needsReceiver(action) && receiver === null,
  );
  return withoutReceiver ? "请选择接手的人" : undefined;
}

/** How a plan that was kept is filled in again. */
export function draftOf({ plan }: Departure): Draft {
  const choice = ({ action, receiver }: { action: Action; receiver?: number | null }): Choice => ({
    action,
    receiver: receiver ?? undefined,
  });
  const planned = (kind: string): kind is PlannedKind => plannedKinds.some((known) => known === kind);
  return {
    receiver: undefined,
    kinds: {
      instance: choice(plan.instances),
      dataset: choice(plan.datasets),
      image: choice(plan.images),
      group: choice(plan.groups),
      files: choice(plan.files),
    },
    exceptions: Object.fromEntries(
      (plan.exceptions ?? []).flatMap(({ kind, object, ...rest }) =>
        planned(kind) ? [[object, { kind, ...choice(rest) }]] : [],
      ),
    ),
  };
}

/** The same plan for what is not done yet, with somebody else in the place of everybody who was to get something. */
export function planWith(receiver: number, { plan, items }: DepartureDetail): Plan {
  const other = <T extends { action: Action }>(choice: T) => ({
    ...choice,
    receiver: needsReceiver(choice.action) ? receiver : null,
  });
  const open = new Set(items.filter((item) => item.state !== "done").map(({ object }) => object));
  return {
    instances: other(plan.instances),
    datasets: other(plan.datasets),
    images: other(plan.images),
    groups: other(plan.groups),
    files: other(plan.files),
    exceptions: (plan.exceptions ?? []).filter(({ object }) => open.has(object)).map(other),
  };
}

/** One line for each kind of which there is something: 3 个数据集：移交. */
export function summaryOf(draft: Draft, holdings: Holdings): string[] {
  return plannedKinds
    .filter((kind) => isThere(holdings, kind))
    .map((kind) => {
      const { action } = draft.kinds[kind];
      const label = actionsOf[kind].find(({ value }) => value === action)?.label ?? action;
      const things = thingsOf(holdings, kind);
      const apart = things.filter(({ id }) => draft.exceptions[id]).length;
      const name = kind === "files" ? kindLabels[kind] : `${things.length} 个${kindLabels[kind]}`;
      return `${name}：${label}${apart > 0 ? `（${apart} 个单独处理）` : ""}`;
    });
}
