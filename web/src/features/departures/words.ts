// Labels for kinds of things, their outcomes and progress.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { Action, DepartureState, ItemState, Kind } from "./api";

export const kindLabels: Readonly<Record<Kind, string>> = {
  instance: "实例",
  dataset: "数据集",
  image: "镜像",
  group: "担任组长的用户组",
  files: "个人文件夹",
  account: "账号",
};

/** The kinds that a plan decides on, in the order in which they are dealt with. */
export type PlannedKind = Exclude<Kind, "account">;

/** The possible choices for a kind, the default first. */
export const actionsOf: Readonly<Record<PlannedKind, readonly { value: Action; label: string }[]>> = {
  instance: [
    { value: "delete", label: "释放" },
    { value: "save", label: "保存为接手人的镜像，再释放" },
  ],
  dataset: [
    { value: "hand_over", label: "移交" },
    { value: "delete", label: "删除" },
  ],
  image: [
    { value: "hand_over", label: "移交" },
    { value: "delete", label: "删除" },
  ],
  group: [
    { value: "hand_over", label: "换人担任组长" },
    { value: "keep", label: "不指定组长" },
  ],
  files: [
    { value: "hand_over", label: "移到接手人的文件夹里" },
    { value: "keep", label: "留在原处，只有管理员能看" },
    { value: "delete", label: "删除" },
  ],
};

export function actionLabel(kind: Kind, action: Action): string {
  if (kind === "account") return "删除";
  return actionsOf[kind].find(({ value }) => value === action)?.label ?? action;
}

export const needsReceiver = (action: Action) => action === "hand_over" || action === "save";

interface Look {
  label: string;
  icon: IconName;
  tone: StateTone;
}

export const stateLooks: Readonly<Record<DepartureState, Look>> = {
  planned: { label: "等待到期", icon: "clock", tone: "off" },
  running: { label: "办理中", icon: "progress", tone: "info" },
  failed: { label: "有失败项", icon: "alert", tone: "error" },
  done: { label: "已办完", icon: "success", tone: "success" },
};

export const stateOptions = Object.entries(stateLooks).map(([value, { label }]) => ({ value, label }));

export const itemLooks: Readonly<Record<ItemState, Look>> = {
  waiting: { label: "等待", icon: "clock", tone: "off" },
  done: { label: "完成", icon: "success", tone: "success" },
  failed: { label: "失败", icon: "alert", tone: "error" },
};
