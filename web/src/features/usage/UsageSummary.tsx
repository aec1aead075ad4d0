// All that is looked at in four numbers.
import { formatCount } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import figures from "@/shared/ui/Figures.module.css";
import { Panel } from "@/shared/ui/Panel";
import type { UsageFigures } from "./api";

interface FigureProps {
  icon: IconName;
  label: string;
  value: number | undefined;
  unit: string;
  note: string;
}

function Figure({ icon, label, value, unit, note }: FigureProps) {
  return (
    <div className={figures.cell}>
      <div className={figures.key}>
        <Icon name={icon} />
        {label}
      </div>
      <div className={figures.value}>
        {value === undefined ? "—" : formatCount(value)}
        <small>{unit}</small>
      </div>
      <div className={figures.note}>{note}</div>
    </div>
  );
}

/** The share of the measured time in which cards computed. */
export function utilizationText({ heldHours, utilization }: UsageFigures): string {
  if (utilization != null) return `${formatCount(utilization)}%`;
  return heldHours > 0 ? "未测量" : "—";
}

export function UsageSummary({ sum }: { sum: UsageFigures | undefined }) {
  return (
    <Panel label="用量合计">
      <div className={figures.strip}>
        <Figure icon="gpu" label="占用卡时" value={sum?.heldHours} unit="卡时" note="显卡被占用的总时长" />
        <Figure
          icon="running"
          label="实际使用"
          value={sum?.usedHours}
          unit="卡时"
          note={sum ? `平均利用率 ${utilizationText(sum)}` : ""}
        />
        <Figure
          icon="info"
          label="未测量"
          value={sum?.unmeasuredHours}
          unit="卡时"
          note="无利用率数据的时长，不计入空闲"
        />
        <Figure
          icon="cpu"
          label="CPU"
          value={sum?.cpuHours}
          unit="核时"
          note={sum ? `${formatCount(sum.instances)} 个实例` : ""}
        />
      </div>
    </Panel>
  );
}
