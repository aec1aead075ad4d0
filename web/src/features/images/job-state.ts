// Jobs on images: one table each for kinds and for states.
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";
import type { ImageJob } from "./api";

export const jobKinds: Record<ImageJob["kind"], string> = {
  pull: "拉取",
  save: "保存",
  push: "推送",
  build: "构建",
};

interface JobLook {
  label: string;
  icon: IconName;
  tone: StateTone;
  /** Can still be cancelled. */
  active?: true;
}

export const jobLooks: Record<ImageJob["state"], JobLook> = {
  queued: { label: "排队中", icon: "clock", tone: "info", active: true },
  running: { label: "进行中", icon: "progress", tone: "info", active: true },
  done: { label: "完成", icon: "success", tone: "success" },
  failed: { label: "失败", icon: "fault", tone: "error" },
  cancelled: { label: "已取消", icon: "ban", tone: "off" },
};
