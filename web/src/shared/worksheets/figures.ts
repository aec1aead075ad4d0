// The figures of a request as forms show them and as they are sent.
import dayjs, { type Dayjs } from "dayjs";
import type { Zero } from "@/shared/form/LimitInput";
import { formatCount } from "@/shared/lib/numbers";
import {
  CPU_PERIOD,
  coresText,
  countText,
  GB,
  gigabytesText,
  type QuotaForm,
  type Quotas,
  toQuotaForm,
} from "@/shared/quotas/quotas";
import type { WorksheetCards, WorksheetQuotas } from "./decide";

/** An empty field changes nothing. */
export type AskedQuotas = { [Name in keyof QuotaForm]?: number | null };

export interface CardsValues {
  server?: string | null;
  count: number;
  gpus: string[];
  mode: WorksheetCards["mode"];
  valid: [Dayjs | null, Dayjs | null] | null;
}

interface QuotaField {
  name: keyof QuotaForm;
  api: keyof Quotas;
  label: string;
  unit: string;
  precision: number;
  /** The factor from the form's unit to the API's. */
  one: number;
  /** The meaning of 0; without it, 0 is an ordinary number. */
  zero?: Zero;
  text: (value: number) => string;
}

export const quotaFields: readonly QuotaField[] = [
  {
    name: "instanceLimit",
    api: "instanceLimit",
    label: "实例",
    unit: "个",
    precision: 0,
    one: 1,
    text: countText,
  },
  {
    name: "instanceLimitOffset",
    api: "instanceLimitOffset",
    label: "临时增加",
    unit: "个",
    precision: 0,
    one: 1,
    text: countText,
  },
  {
    name: "GPUNumlimit",
    api: "GPUNumlimit",
    label: "显卡",
    unit: "张",
    precision: 0,
    one: 1,
    zero: "none",
    text: countText,
  },
  {
    name: "cores",
    api: "CPUPeriodQuota",
    label: "CPU",
    unit: "核",
    precision: 2,
    one: CPU_PERIOD,
    zero: "unlimited",
    text: coresText,
  },
  {
    name: "memoryGb",
    api: "memoryLimit",
    label: "内存",
    unit: "GB",
    precision: 2,
    one: GB,
    zero: "unlimited",
    text: gigabytesText,
  },
  {
    name: "diskGb",
    api: "diskQuota",
    label: "网盘",
    unit: "GB",
    precision: 2,
    one: GB,
    zero: "unlimited",
    text: gigabytesText,
  },
];

export function sentQuotas(asked: AskedQuotas): WorksheetQuotas {
  const sent: WorksheetQuotas = {};
  for (const { name, api, one } of quotaFields) {
    const value = asked[name];
    if (typeof value === "number") sent[api] = Math.round(value * one);
  }
  return sent;
}

export function askedQuotas(quotas: WorksheetQuotas): Partial<QuotaForm> {
  const asked: Partial<QuotaForm> = {};
  for (const { name, api, one } of quotaFields) {
    const value = quotas[api];
    if (typeof value === "number") asked[name] = Math.round((value / one) * 100) / 100;
  }
  return asked;
}

/** The present quotas, overlaid with the requested ones. */
export const withAsked = (present: Quotas, asked: WorksheetQuotas): QuotaForm => ({
  ...toQuotaForm(present),
  ...askedQuotas(asked),
});

/** The granted quotas: those that were requested or changed. */
export function granted(form: QuotaForm, present: Quotas, asked: WorksheetQuotas): WorksheetQuotas {
  const before = toQuotaForm(present);
  const changed: AskedQuotas = {};
  for (const { name, api } of quotaFields) {
    if (form[name] !== before[name] || asked[api] !== undefined) changed[name] = form[name];
  }
  return sentQuotas(changed);
}

export const blankCards: CardsValues = { count: 1, gpus: [], mode: "shared", valid: null };

const time = (text: string | null | undefined) => (text ? dayjs(text) : null);

export const cardsValues = ({
  server,
  count,
  gpus,
  mode,
  validFrom,
  validUntil,
}: WorksheetCards): CardsValues => ({
  server: server ?? null,
  count,
  gpus: gpus ?? [],
  mode,
  valid: [time(validFrom), time(validUntil)],
});

export const sentCards = ({ server, count, gpus, mode, valid }: CardsValues): WorksheetCards => ({
  ...(server && { server }),
  count,
  gpus: gpus ?? [],
  mode,
  ...(valid?.[0] && { validFrom: valid[0].toISOString() }),
  ...(valid?.[1] && { validUntil: valid[1].toISOString() }),
});

const day = (text: string) => dayjs(text).format("YYYY-MM-DD HH:mm");

/** The requested cards, in words; `servers`: those that the reader may see. */
export function cardsText(
  { server, count, gpus, mode, validFrom, validUntil }: WorksheetCards,
  servers: readonly { id: string; name: string }[],
): { label: string; value: string }[] {
  const name = servers.find(({ id }) => id === server)?.name;
  const particular = gpus?.length ? `指定 ${formatCount(gpus.length)} 张` : "";
  const most = count > 0 ? `最多 ${formatCount(count)} 张` : "不限张数";
  return [
    { label: "服务器", value: server ? (name ?? "指定的服务器") : "由管理员安排" },
    { label: "显卡", value: [particular, most].filter(Boolean).join("，") },
    { label: "方式", value: mode === "exclusive" ? "独占" : "共享" },
    {
      label: "有效期",
      value:
        validFrom || validUntil
          ? `${validFrom ? day(validFrom) : "即日"} 至 ${validUntil ? day(validUntil) : "长期"}`
          : "长期",
    },
  ];
}

const names: Readonly<Record<string, string>> = {
  CPUPeriodQuota: "cores",
  memoryLimit: "memoryGb",
  diskQuota: "diskGb",
  validFrom: "valid",
  validUntil: "valid",
};

/** The form's name of an API field: `quotas.diskQuota` is `["quotas", "diskGb"]`. */
export function figureName(apiName: string): string | string[] {
  const [part = "", name] = apiName.split(".");
  return name === undefined ? part : [part, names[name] ?? name];
}
