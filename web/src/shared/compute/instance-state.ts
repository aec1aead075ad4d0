// The states of an instance: one table for label, icon, colour and filter. What can be done to one, the server says.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { InstanceAct, InstanceState, InstanceView } from "./api";

interface StateLook {
  label: string;
  icon: IconName;
  tone: StateTone;
  /** On its way to another state by itself. */
  moving?: true;
}

export const instanceStates: Record<InstanceState, StateLook> = {
  queued: { label: "排队中", icon: "progress", tone: "info", moving: true },
  preparing: { label: "拉取镜像", icon: "progress", tone: "info", moving: true },
  creating: { label: "创建中", icon: "progress", tone: "info", moving: true },
  starting: { label: "启动中", icon: "progress", tone: "info", moving: true },
  running: { label: "运行中", icon: "running", tone: "success" },
  stopping: { label: "停止中", icon: "progress", tone: "info", moving: true },
  stopped: { label: "已停止", icon: "stopped", tone: "off" },
  error: { label: "异常", icon: "fault", tone: "error" },
  releasing: { label: "释放中", icon: "progress", tone: "info", moving: true },
  released: { label: "已释放", icon: "minus", tone: "off" },
};

const states = Object.keys(instanceStates).filter((state): state is InstanceState => state in instanceStates);

export const isInstanceState = (text: string | undefined): text is InstanceState =>
  text !== undefined && text in instanceStates;

export const stateOptions = states
  .filter((state) => state !== "released")
  .map((value) => ({ value, label: instanceStates[value].label }));

/** Nothing moves on a server that does not answer. */
export const isMoving = ({ state, unreachable }: Pick<InstanceView, "state" | "unreachable">) =>
  Boolean(instanceStates[state].moving) && !unreachable;

export const actLabels: Record<InstanceAct, string> = {
  start: "启动",
  stop: "停止",
  restart: "重启",
  release: "释放",
  resume: "解除暂停",
};

/** Its programs are frozen. */
export const isSuspended = ({ state, suspended }: Pick<InstanceView, "state" | "suspended">) =>
  state === "running" && suspended !== "";

/** The appearance of suspended instances, which only administrators resume. */
const suspendedLook: Pick<StateLook, "label" | "icon" | "tone"> = {
  label: "已暂停",
  icon: "pause",
  tone: "error",
};

type FreezeReason = NonNullable<InstanceView["frozen"]>;

/** Why its programs are frozen until there is room again. */
export const frozenLabels: Record<FreezeReason, string> = {
  disk: "网盘已用完配额",
  group: "组的共享文件夹已用完配额",
  root: "系统盘超过上限",
};

const frozenLook: Pick<StateLook, "label" | "icon" | "tone"> = {
  label: "已冻结",
  icon: "pause",
  tone: "warning",
};

/** The appearance of its state. */
export const lookOf = (instance: Pick<InstanceView, "state" | "suspended" | "frozen">) => {
  if (isSuspended(instance)) return suspendedLook;
  return instance.frozen && instance.state === "running" ? frozenLook : instanceStates[instance.state];
};

const needsAdmin = "实例已暂停，需要管理员解除";

/** The reason why only administrators save it as an image. */
export const whyNotTaken = ({ suspended }: Pick<InstanceView, "suspended">, admin: boolean) =>
  suspended && !admin ? needsAdmin : undefined;

/** The server's reason why something can't be done with it now; nothing when it can. */
const refusalOf = ({ acts }: Pick<InstanceView, "acts">, act: InstanceAct): string | undefined =>
  acts.find((one) => one.act === act)?.why ?? undefined;

/** Why something can't be done with it now; nothing when it can. */
export function whyNot(instance: Pick<InstanceView, "acts" | "state">, act: InstanceAct): string | undefined {
  const refusal = refusalOf(instance, act);
  if (refusal || act !== "release") return refusal;
  // A slip of the mouse must not end a running program. What can't be stopped can be released.
  return instance.state === "running" && !refusalOf(instance, "stop")
    ? "运行中不能释放，请先停止"
    : undefined;
}

/** Percent of the image that was pulled; undefined while no size is known. */
export function pullPercent({ pull }: Pick<InstanceView, "pull">): number | undefined {
  if (!pull || pull.total <= 0) return undefined;
  return Math.min(100, Math.floor((pull.current / pull.total) * 100));
}

/** It holds nothing but its root. */
export const isStopped = ({ state }: Pick<InstanceView, "state">) => state === "stopped" || state === "error";
