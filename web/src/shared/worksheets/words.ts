// Labels of work orders: one table each for states, types and priorities.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { WorksheetKind, WorksheetPriority, WorksheetState } from "./api";

export const worksheetStates: Readonly<
  Record<WorksheetState, { label: string; icon: IconName; tone: StateTone }>
> = {
  undo: { label: "待处理", icon: "clock", tone: "warning" },
  doing: { label: "处理中", icon: "half", tone: "info" },
  done: { label: "已完成", icon: "success", tone: "success" },
  closed: { label: "已关闭", icon: "ban", tone: "off" },
};

export const kindLabels: Readonly<Record<WorksheetKind, string>> = {
  quota: "配额调整",
  cards: "显卡申请",
  account: "账号",
  image: "镜像",
  dataset: "数据集",
  port: "端口",
  fault: "故障",
  other: "其他",
};

export const priorityLabels: Readonly<Record<WorksheetPriority, string>> = {
  low: "低",
  normal: "普通",
  high: "高",
  urgent: "紧急",
};

export const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value, label }));

export const isPriority = (value: string): value is WorksheetPriority => Object.hasOwn(priorityLabels, value);

export const isKind = (value: string | null | undefined): value is WorksheetKind =>
  value !== null && value !== undefined && Object.hasOwn(kindLabels, value);
