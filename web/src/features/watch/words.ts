// Kinds and states of findings: one table each for label, colour and filter.
import type { FindingKind, FindingState } from "@/shared/findings/api";
import type { IconName } from "@/shared/theme/icon-shapes";
import type { StateTone } from "@/shared/ui/StateText";

interface StateLook {
  label: string;
  icon: IconName;
  tone: StateTone;
}

export const stateLooks: Record<FindingState, StateLook> = {
  open: { label: "未处理", icon: "alert", tone: "warning" },
  confirmed: { label: "已确认", icon: "fault", tone: "error" },
  dismissed: { label: "误报", icon: "success", tone: "off" },
};

interface KindLook {
  label: string;
  /** How reliable it is, for the decision. */
  note: string;
}

export const kindLooks: Record<FindingKind, KindLook> = {
  name: { label: "程序名", note: "程序文件的名字是挖矿程序的，可信度高" },
  command: { label: "命令行", note: "命令行里有矿池地址或挖矿参数，可信度高" },
  port: { label: "矿池端口", note: "连接到公网上矿池常用的端口，只作参考" },
  pattern: { label: "显卡规律", note: "显卡长时间满载且显存不变，只作参考" },
};

export const isState = (text: string | undefined): text is FindingState =>
  text !== undefined && text in stateLooks;

export const isKind = (text: string | undefined): text is FindingKind =>
  text !== undefined && text in kindLooks;

const optionsOf = (looks: Readonly<Record<string, { label: string }>>) =>
  Object.entries(looks).map(([value, { label }]) => ({ value, label }));

export const stateOptions = optionsOf(stateLooks);
export const kindOptions = optionsOf(kindLooks);
