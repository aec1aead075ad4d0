// Conversion of an allocation between the form and the API.
import dayjs, { type Dayjs } from "dayjs";
import { CPU_PERIOD, GB } from "@/shared/quotas/quotas";
import type { Allocation, AllocationForm, Subject } from "./api";

export interface AllocationValues {
  server: string | null;
  subject: Subject;
  user: number | undefined;
  group: number | undefined;
  mode: Allocation["mode"];
  gpus: string[];
  instances: number;
  cards: number;
  cores: number;
  memoryGb: number;
  valid: [Dayjs | null, Dayjs | null];
  note: string;
}

/** Initial values: a cell of the matrix gives server and subject. */
export interface Preset {
  server?: string;
  subject?: Subject;
  subjectId?: number;
}

export function blankAllocation({ server, subject = "group", subjectId }: Preset): AllocationValues {
  return {
    server: server ?? null,
    subject,
    user: subject === "user" ? subjectId : undefined,
    group: subject === "group" ? subjectId : undefined,
    mode: "shared",
    gpus: [],
    instances: 0,
    cards: 0,
    cores: 0,
    memoryGb: 0,
    valid: [null, null],
    note: "",
  };
}

const time = (text: string | null | undefined) => (text ? dayjs(text) : null);

export function valuesOf(one: Allocation): AllocationValues {
  const { server, subject, subjectId, mode, gpus, limits, validFrom, validUntil, note } = one;
  return {
    ...blankAllocation({ server, subject, ...(subjectId != null && { subjectId }) }),
    mode,
    gpus,
    instances: limits.instances ?? 0,
    cards: limits.gpus ?? 0,
    cores: (limits.cpu ?? 0) / CPU_PERIOD,
    memoryGb: (limits.memory ?? 0) / GB,
    valid: [time(validFrom), time(validUntil)],
    note,
  };
}

export function toForm(values: AllocationValues): AllocationForm {
  const { subject, user, group, valid } = values;
  const subjectId = subject === "user" ? user : subject === "group" ? group : undefined;
  return {
    server: values.server ?? "",
    subject,
    ...(subjectId !== undefined && { subjectId }),
    mode: values.mode,
    gpus: values.gpus,
    limits: {
      instances: values.instances,
      gpus: values.cards,
      cpu: Math.round(values.cores * CPU_PERIOD),
      memory: Math.round(values.memoryGb * GB),
    },
    ...(valid?.[0] && { validFrom: valid[0].toISOString() }),
    ...(valid?.[1] && { validUntil: valid[1].toISOString() }),
    note: values.note,
  };
}

const otherNames: Readonly<Record<string, string>> = {
  "limits.instances": "instances",
  "limits.gpus": "cards",
  "limits.cpu": "cores",
  "limits.memory": "memoryGb",
  validFrom: "valid",
  validUntil: "valid",
};

/** The form's name of an API field. */
export const formNameFor =
  (subject: Subject | undefined) =>
  (name: string): string =>
    name === "subjectId" ? (subject === "user" ? "user" : "group") : (otherNames[name] ?? name);
