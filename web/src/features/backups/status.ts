// States and contents of backups: one table for label, icon and colour.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { BackupKind, BackupOutcome } from "./api";

interface Look {
  label: string;
  icon: IconName;
  tone: StateTone;
}

export const outcomeLooks: Readonly<Record<BackupOutcome, Look>> = {
  running: { label: "正在备份", icon: "running", tone: "info" },
  good: { label: "成功", icon: "success", tone: "success" },
  failed: { label: "失败", icon: "fault", tone: "error" },
};

export const kindLabels: Readonly<Record<BackupKind, string>> = {
  database: "数据库",
  files: "网盘文件",
};
