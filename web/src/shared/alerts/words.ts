// Kinds, severities and states of alerts: one table each for label, colour and filter.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { AlertKind, AlertSeverity, AlertState } from "./api";

interface Look {
  label: string;
  icon: IconName;
  tone: StateTone;
}

export const stateLooks: Readonly<Record<AlertState, Look>> = {
  firing: { label: "告警中", icon: "alert", tone: "error" },
  silenced: { label: "已静默", icon: "pause", tone: "off" },
  resolved: { label: "已恢复", icon: "success", tone: "success" },
};

/** The look of a firing alert, by its severity. */
export const severityLooks: Readonly<Record<AlertSeverity, Look>> = {
  warning: { label: "警告", icon: "alert", tone: "warning" },
  critical: { label: "严重", icon: "fault", tone: "error" },
};

export const kindLabels: Readonly<Record<AlertKind, string>> = {
  server_lost: "服务器失联",
  card_fault: "显卡故障",
  disk_full: "磁盘快满",
  quota_full: "网盘配额快用完",
  certificate_ends: "证书到期",
  backup_old: "备份失败或过旧",
  clock_held: "系统时间异常",
  duty_failing: "后台任务失败",
  login_attack: "登录攻击",
};

/** For how long an alert can be silenced, in hours. */
export const silences = [
  { hours: 1, label: "1 小时" },
  { hours: 8, label: "8 小时" },
  { hours: 24, label: "1 天" },
  { hours: 168, label: "7 天" },
] as const;

export const isState = (text: string | undefined): text is AlertState =>
  text !== undefined && text in stateLooks;

export const isKind = (text: string | undefined): text is AlertKind =>
  text !== undefined && text in kindLabels;

export const stateOptions = Object.entries(stateLooks).map(([value, { label }]) => ({ value, label }));
export const kindOptions = Object.entries(kindLabels).map(([value, label]) => ({ value, label }));
