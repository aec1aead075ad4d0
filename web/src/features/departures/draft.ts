// The plan in the form, and its conversion to the API; pure.
import type { Action, Departure, DepartureDetail, Holdings, Plan } from "./api";
import { actionsOf, kindLabels, needsReceiver, type PlannedKind } from "./words";

export interface Choice {
  action: Action;
  /** Left out: the receiver of everything. */
  receiver?: number | undefined;
}

export interface Draft {
  /** The receiver of everything without a receiver of its own. */
  receiver: number | undefined;
  kinds: Readonly<Record<PlannedKind, Choice>>;
  /** Things with another choice than their kind, by id. */
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

/** Whether there is anything of a kind now. */
const isThere = (holdings: Holdings, kind: PlannedKind) =>
  kind === "files" || thingsOf(holdings, kind).length > 0;

/** The kinds to decide on. For a later departure these include kinds without things so far. */
export const decidedKinds = (holdings: Holdings, later: boolean): readonly PlannedKind[] =>
  plannedKinds.filter((kind) => later || isThere(holdings, kind));

/** The default choice for a kind without things. */
const nothing = (kind: PlannedKind): { action: Action; receiver: null } => ({
  action: kind === "group" || kind === "files" ? "keep" : "delete",
  receiver: null,
});

export function planOf(draft: Draft, holdings: Holdings, later: boolean): Plan {
  const sent = ({ action, receiver }: Choice) => ({
    action,
    receiver: needsReceiver(action) ? (receiver ?? draft.receiver ?? null) : null,
  });
  const decided = decidedKinds(holdings, later);
  const of = (kind: PlannedKind) => (decided.includes(kind) ? sent(draft.kinds[kind]) : nothing(kind));
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
export function missingOf(plan: Plan): string | undefined {
  const withoutReceiver = choicesOf(plan).some(
    ({ action, receiver }) => needsReceiver(action) && receiver == null,
  );
  return withoutReceiver ? "请选择接手的人" : undefined;
}

const isPlanned = (kind: string): kind is PlannedKind => plannedKinds.some((known) => known === kind);

/** How a plan that was kept is filled in again. */
export function draftOf({ plan }: Departure): Draft {
  const choice = ({ action, receiver }: { action: Action; receiver?: number | null }): Choice => ({
    action,
    receiver: receiver ?? undefined,
  });
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
        isPlanned(kind) ? [[object, { kind, ...choice(rest) }]] : [],
      ),
    ),
  };
}

/** An unfinished thing whose choice may change. */
interface OpenItem {
  number: number;
  kind: PlannedKind;
  object: string;
  name: string;
  /** The planned or failed choice. */
  choice: Choice;
}

export const openItems = ({ plan, items }: DepartureDetail): readonly OpenItem[] =>
  items.flatMap(({ number, kind, object, name, action, state }) =>
    state !== "done" && isPlanned(kind)
      ? [{ number, kind, object, name, choice: { action, receiver: receiverOf(plan, kind, object) } }]
      : [],
  );

function receiverOf(plan: Plan, kind: PlannedKind, object: string): number | undefined {
  const apart = plan.exceptions?.find((one) => one.kind === kind && one.object === object);
  const { instances, datasets, images, groups, files } = plan;
  const kinds = { instance: instances, dataset: datasets, image: images, group: groups, files };
  return (apart ?? kinds[kind]).receiver ?? undefined;
}

/** Choices for things that came later, by id. */
export type Added = Readonly<Record<string, Choice & { kind: PlannedKind }>>;

/** Things that the person got since the departure began. */
export const newThings = ({ items }: DepartureDetail, holdings: Holdings | undefined) =>
  plannedKinds.flatMap((kind) =>
    (holdings ? thingsOf(holdings, kind) : [])
      .filter(({ id }) => !items.some((item) => item.kind === kind && item.object === id))
      .map(({ id, name }) => ({ kind, id, name })),
  );

/**
 * The plan for unfinished things: with another receiver in place of all earlier ones, if one is chosen, with the new
 * choices, by the item's number, and with the things that came later.
 */
export function planWith(
  receiver: number | undefined,
  one: DepartureDetail,
  changed: Readonly<Record<number, Choice>> = {},
  added: Added = {},
): Plan {
  const { plan, items } = one;
  const sent = (action: Action, whose: number | null | undefined) => ({
    action,
    receiver: needsReceiver(action) ? (whose ?? null) : null,
  });
  const other = <T extends { action: Action; receiver?: number | null }>(choice: T) => ({
    ...choice,
    ...sent(choice.action, receiver ?? choice.receiver),
  });
  const chosen = openItems(one).flatMap(({ number, kind, object, choice }) => {
    const now = changed[number];
    return now ? [{ kind, object, ...sent(now.action, now.receiver ?? receiver ?? choice.receiver) }] : [];
  });
  const later = Object.entries(added).map(([object, { kind, action, receiver: whose }]) => ({
    kind,
    object,
    ...sent(action, whose ?? receiver),
  }));
  const files = chosen.find(({ kind }) => kind === "files");
  const open = new Set(items.filter((item) => item.state !== "done").map(({ object }) => object));
  const others = (plan.exceptions ?? []).filter(
    ({ kind, object }) =>
      open.has(object) && !chosen.some((item) => item.kind === kind && item.object === object),
  );
  return {
    instances: other(plan.instances),
    datasets: other(plan.datasets),
    images: other(plan.images),
    groups: other(plan.groups),
    files: files ? { action: files.action, receiver: files.receiver } : other(plan.files),
    exceptions: [...others.map(other), ...chosen.filter(({ kind }) => kind !== "files"), ...later],
  };
}

/** One line for each kind with things: 3 个数据集：移交. */
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
