// A server as the form shows it, and what of it is sent.
import type { ServerView } from "@/shared/compute/api";
import { CPU_PERIOD, GB } from "@/shared/quotas/quotas";
import type { ServerForm } from "./api";

export interface ServerFormValues {
  name: string;
  endpoint: string;
  publicHost: string;
  storagePath: string;
  portFrom: number;
  portTo: number;
  reservedCores: number;
  reservedGb: number;
  machineHelper: boolean;
  ca: string;
  cert: string;
  key: string;
}

export const blankServer: ServerFormValues = {
  name: "",
  endpoint: "tcp://",
  publicHost: "",
  storagePath: "",
  portFrom: 30_000,
  portTo: 32_767,
  reservedCores: 0,
  reservedGb: 0,
  machineHelper: true,
  ca: "",
  cert: "",
  key: "",
};

export function valuesOf(
  { name, publicHost }: ServerView,
  manage: NonNullable<ServerView["manage"]>,
): ServerFormValues {
  return {
    ...blankServer,
    name,
    publicHost,
    endpoint: manage.endpoint,
    storagePath: manage.storagePath,
    portFrom: manage.portRange.from,
    portTo: manage.portRange.to,
    reservedCores: manage.reservedCpu / CPU_PERIOD,
    reservedGb: manage.reservedMemory / GB,
    machineHelper: manage.machineHelper,
  };
}

export const needsTls = (endpoint: string | undefined) => endpoint?.trim().startsWith("tcp:") ?? false;

const tlsOf = ({ endpoint, ca, cert, key }: ServerFormValues): Pick<ServerForm, "tls"> =>
  needsTls(endpoint) && (ca || cert || key) ? { tls: { ca, cert, key } } : {};

export function newServer(values: ServerFormValues): ServerForm {
  return {
    name: values.name,
    endpoint: values.endpoint,
    publicHost: values.publicHost,
    storagePath: values.storagePath,
    portRange: { from: values.portFrom, to: values.portTo },
    reservedCpu: Math.round(values.reservedCores * CPU_PERIOD),
    reservedMemory: Math.round(values.reservedGb * GB),
    machineHelper: values.machineHelper,
    ...tlsOf(values),
  };
}

/** Left-out fields stay as they are. */
export function changeOf(before: ServerFormValues, after: ServerFormValues): ServerForm {
  const whole = newServer(after);
  const differs = (...names: (keyof ServerFormValues)[]) =>
    names.some((name) => before[name] !== after[name]);
  return {
    ...(differs("name") && { name: whole.name }),
    ...(differs("endpoint") && { endpoint: whole.endpoint }),
    ...(differs("publicHost") && { publicHost: whole.publicHost }),
    ...(differs("storagePath") && { storagePath: whole.storagePath }),
    ...(differs("portFrom", "portTo") && { portRange: whole.portRange }),
    ...(differs("reservedCores") && { reservedCpu: whole.reservedCpu }),
    ...(differs("reservedGb") && { reservedMemory: whole.reservedMemory }),
    ...(differs("machineHelper") && { machineHelper: whole.machineHelper }),
    ...tlsOf(after),
  };
}

const otherNames: Readonly<Record<string, string>> = {
  portRange: "portFrom",
  reservedCpu: "reservedCores",
  reservedMemory: "reservedGb",
  tls: "ca",
  "tls.ca": "ca",
  "tls.cert": "cert",
  "tls.key": "key",
};

/** The form's name of an API field. */
export const serverFormName = (name: string) => otherNames[name] ?? name;
