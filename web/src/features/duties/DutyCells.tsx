// How a duty looks in the table's columns and on a phone's card.
import type { ReactNode } from "react";
import { fullTime } from "@/shared/lib/time";
import type { DataColumn } from "@/shared/table/data-table";
import { StateText } from "@/shared/ui/StateText";
import styles from "./Duties.module.css";
import { DutyFaults } from "./DutyFaults";
import type { DutyRow } from "./rows";
import { faultsOf, looks } from "./status";
import { agoText, inText, periodText, tookText } from "./words";

interface MomentProps {
  time: string | null | undefined;
  now: number;
  say: (time: number, now: number) => string;
}

function Moment({ time, now, say }: MomentProps) {
  if (!time) return "—";
  return (
    <time dateTime={time} title={fullTime(time)}>
      {say(Date.parse(time), now)}
    </time>
  );
}

function DutyName({ row: { duty, first } }: { row: DutyRow }) {
  if (!first) return <span className={styles.again}>{duty.title}</span>;
  return (
    <span className={styles.name}>
      <span>{duty.title}</span>
      <small>{duty.description}</small>
    </span>
  );
}

const scopeText = ({ leaderOnly }: DutyRow["duty"]) => (leaderOnly ? "仅主平台" : "每个平台");

function Where({ row: { duty, at, first, shared } }: { row: DutyRow }) {
  return (
    <span className={styles.lines}>
      {first && <span>{scopeText(duty)}</span>}
      {shared && at && <small>{at.host}</small>}
    </span>
  );
}

function NextRun({ row: { at, standing, now } }: { row: DutyRow }) {
  if (standing === "held") return "时间恢复后";
  return <Moment time={at?.next} now={now} say={inText} />;
}

function DutyState({ row: { at, standing } }: { row: DutyRow }) {
  const { label, icon, tone } = looks[standing];
  const faults = at && standing === "failed" ? faultsOf(at) : [];
  const servers = faults.filter(({ server }) => server !== "").length;
  return (
    <span className={styles.lines}>
      <StateText icon={icon} tone={tone}>
        {servers > 0 ? `${servers} 台服务器失败` : label}
      </StateText>
      {standing === "failed" && at?.runningSince && <small>正在重新运行</small>}
      {faults.length > 0 && <DutyFaults faults={faults} />}
    </span>
  );
}

const took = ({ at }: DutyRow) => (at?.last ? tookText(at.last.tookMs) : "—");

export const dutyColumns: readonly DataColumn<DutyRow>[] = [
  { key: "title", title: "任务", sort: "title", always: true, render: (row) => <DutyName row={row} /> },
  {
    key: "period",
    title: "周期",
    sort: "period",
    render: ({ duty, first }) => first && periodText(duty.periodMs),
  },
  { key: "where", title: "在哪里运行", render: (row) => <Where row={row} /> },
  {
    key: "last",
    title: "上次运行",
    render: ({ at, now }) => <Moment time={at?.last?.started} now={now} say={agoText} />,
  },
  { key: "took", title: "用时", sort: "took", align: "right", render: took },
  { key: "next", title: "下次运行", render: (row) => <NextRun row={row} /> },
  { key: "state", title: "状态", always: true, render: (row) => <DutyState row={row} /> },
];

export function DutyCard({ row, action }: { row: DutyRow; action: ReactNode }) {
  const { duty, at, first, shared, now } = row;
  return (
    <div className={styles.card}>
      <div className={styles.cardHead}>
        <DutyName row={row} />
        {action}
      </div>
      <DutyState row={row} />
      <small>
        {[first && `${periodText(duty.periodMs)} · ${scopeText(duty)}`, shared && at?.host]
          .filter(Boolean)
          .join(" · ")}
      </small>
      {(at?.last || at?.next) && (
        <small>
          上次 <Moment time={at.last?.started} now={now} say={agoText} />
          {at.last && `，用时 ${took(row)}`} · 下次 <NextRun row={row} />
        </small>
      )}
    </div>
  );
}
