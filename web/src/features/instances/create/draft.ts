// The choices on the page that creates an instance, the allowed values, and why others are not; pure.
import type { Quotas } from "@/shared/api/dashboard";
import type { Gpu, ServerView } from "@/shared/compute/api";
import { freeOf, holderText, lookOf } from "@/shared/compute/gpu-look";
import { whyClosed } from "@/shared/compute/server-state";
import { coresOf } from "@/shared/lib/numbers";
import { CPU_PERIOD, GB } from "@/shared/quotas/quotas";
import type { InstanceForm, PortForm } from "../api";
import { commandWords } from "../command-words";
import { suggestedName } from "./suggested-name";

/** A row that was added, with a key that survives the others' removal. */
export type Row<Fields> = Fields & { key: number };

export interface Draft {
  server: string;
  /** A number of free cards, or these cards. */
  count: number;
  cards: readonly string[] | null;
  /** Null: the cards' share of the server. */
  cores: number | null;
  memoryGb: number | null;
  image: string;
  note: string;
  /** Null: half the memory, at least 4 GB. */
  shmGb: number | null;
  /** Hours from the creation; null is never. */
  stopAfter: number | null;
  ports: readonly Row<PortForm>[];
  env: readonly Row<{ name: string; value: string }>[];
  /** One word per line. */
  command: string;
  /** Folders of datasets. */
  datasets: readonly string[];
  /** Whether it starts again after a restart of its server; null uses the setting. */
  autoStart: boolean | null;
}

export const stopChoices: readonly { value: number | null; label: string }[] = [
  { value: 8, label: "8 小时" },
  { value: 24, label: "24 小时" },
  { value: 72, label: "3 天" },
  { value: 168, label: "7 天" },
  { value: null, label: "不自动停止" },
];

const SSH: Row<PortForm> = { key: 0, containerPort: 22, name: "ssh", protocol: "tcp" };

interface Start {
  servers: readonly ServerView[];
  quotas: Quotas;
  image: string;
  /** From the URL. */
  server: string | null;
  gpu: string | null;
  dataset?: string | null;
}

/** Sensible defaults: a server with a free card, one card if the quota has one, the last used image. */
export function firstDraft({ servers, quotas, image, server, gpu, dataset }: Start): Draft {
  const open = servers.filter((one) => whyClosed(one) === undefined);
  const asked = servers.find((one) => one.id === server);
  const chosen = asked ?? open.find((one) => freeOf(one).length > 0) ?? open[0] ?? servers[0];
  const free = chosen ? freeOf(chosen) : [];
  const one = Math.min(1, free.length, Math.max(0, quotas.gpus.limit - quotas.gpus.used));
  const card = free.find(({ id }) => id === gpu);
  return {
    server: chosen?.id ?? "",
    count: card ? 1 : one,
    cards: card ? [card.id] : null,
    cores: null,
    memoryGb: null,
    image,
    note: "",
    shmGb: null,
    stopAfter: 24,
    ports: [SSH],
    env: [],
    command: "",
    datasets: dataset ? [dataset] : [],
    autoStart: null,
  };
}

export const cardCount = ({ cards, count }: Pick<Draft, "cards" | "count">) => cards?.length ?? count;

/** The rest of a quota; absent without a limit. */
export const leftOf = ({ used, limit }: { used: number; limit: number }, unlimited: boolean) =>
  unlimited && limit === 0 ? undefined : Math.max(0, limit - used);

interface CountChoice {
  count: number;
  reason?: string;
}

const usual = [0, 1, 2, 4, 8, 16];

export function countChoices(server: ServerView, quotas: Quotas): CountChoice[] {
  const free = freeOf(server).length;
  const left = Math.max(0, quotas.gpus.limit - quotas.gpus.used);
  return usual
    .filter((count) => count <= server.gpus.length)
    .map((count) => {
      if (count > left) return { count, reason: `配额还可用 ${left} 张` };
      return count > free ? { count, reason: `${server.name} 空闲 ${free} 张` } : { count };
    });
}

/** Why some counts are closed, each reason once. */
export const closedText = (choices: readonly CountChoice[]): string =>
  [...new Set(choices.flatMap(({ reason }) => reason ?? []))]
    .map((reason) => {
      const counts = choices.flatMap((choice) => (choice.reason === reason ? [`${choice.count} 张`] : []));
      return `${reason}，${counts.join("、")}不可选`;
    })
    .join("；");

/** The server's default CPU and memory: the same share of it as of its cards. */
function shareOf(server: ServerView, cards: number): { cores: number; memoryGb: number } {
  const part = (total: number | null | undefined, other: number) => {
    if (total == null) return other;
    return cards > 0 && server.gpus.length > 0
      ? Math.floor(total / server.gpus.length) * cards
      : Math.min(other, total);
  };
  const cores = coresOf(part(server.cpuAvailable, 4 * CPU_PERIOD));
  const memory = part(server.memoryAvailable, 8 * GB) / GB;
  return { cores: wholeTenths(cores), memoryGb: wholeTenths(memory) };
}

const wholeTenths = (value: number) => Math.floor(value * 10) / 10;

/** Its size, limited to the rest of the quota where nothing was typed. */
export function sizeOf(
  draft: Draft,
  server: ServerView,
  quotas: Quotas,
): { cores: number; memoryGb: number } {
  const share = shareOf(server, cardCount(draft));
  const left = leftOf(quotas.cpu, true);
  const cores = left === undefined ? share.cores : Math.min(share.cores, coresOf(left));
  const room = leftOf(quotas.memory, true);
  const memoryGb = room === undefined ? share.memoryGb : Math.min(share.memoryGb, wholeTenths(room / GB));
  return { cores: draft.cores ?? cores, memoryGb: draft.memoryGb ?? memoryGb };
}

/** Chosen cards that were leased to others meanwhile. */
export const lostCards = (draft: Draft, server: ServerView): Gpu[] =>
  server.gpus.filter((gpu) => draft.cards?.includes(gpu.id) && lookOf(gpu, server) !== "free");

export function lostText(cards: readonly Gpu[], server: ServerView): string {
  return cards.map((gpu) => `卡 ${gpu.index} 刚被占用（${holderText(gpu, server)}），请重新选择`).join("；");
}

/** What is still to be chosen, or can't be; undefined when the server can be asked about it. */
export function whatIsMissing(draft: Draft, server: ServerView | undefined): string | undefined {
  if (!server) return "请选择服务器";
  const closed = whyClosed(server);
  if (closed) return `${server.name} ${closed}`;
  return draft.image.trim() === "" ? "请选择镜像" : undefined;
}

/** The form that the server is asked about, as JSON; the same for the same choices, whenever it is asked. */
export function toCheck(draft: Draft, server: ServerView | undefined, quotas: Quotas): string {
  if (!server || whatIsMissing(draft, server)) return "";
  const { stopAt: _, ...form } = toForm(draft, server, quotas, new Date());
  // The name that it would get changes with the free cards, and asks nothing of the server.
  return JSON.stringify({ ...form, note: draft.note.trim() });
}

export function toForm(draft: Draft, server: ServerView, quotas: Quotas, now: Date): InstanceForm {
  const { cores, memoryGb } = sizeOf(draft, server, quotas);
  return {
    server: server.id,
    image: draft.image.trim(),
    ...(draft.cards ? { gpus: [...draft.cards] } : { gpuCount: draft.count }),
    cpuQuota: Math.round(cores * CPU_PERIOD),
    memory: Math.round(memoryGb * GB),
    ...(draft.shmGb !== null && { shmSize: Math.round(draft.shmGb * GB) }),
    ports: draft.ports.map(({ containerPort, name, protocol }) => ({ containerPort, name, protocol })),
    env: Object.fromEntries(
      draft.env.filter(({ name }) => name !== "").map(({ name, value }) => [name, value]),
    ),
    command: commandWords(draft.command),
    datasets: [...draft.datasets],
    ...(draft.stopAfter !== null && {
      stopAt: new Date(now.getTime() + draft.stopAfter * 3_600_000).toISOString(),
    }),
    note: draft.note.trim() || suggestedName(draft, server),
    ...(draft.autoStart !== null && { autoStart: draft.autoStart }),
  };
}
