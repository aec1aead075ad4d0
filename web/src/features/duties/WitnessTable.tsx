// The other clocks, their times, and the system clock's difference from each.
import { Table, type TableColumnsType } from "antd";
import type { ClockWitness } from "@/shared/clock/api";
import { aheadText } from "@/shared/clock/words";
import { fullTime } from "@/shared/lib/time";
import { StateText } from "@/shared/ui/StateText";
import styles from "./Duties.module.css";

export function witnessName({ kind, name }: ClockWitness): string {
  if (kind === "steady") return "本机单调时钟";
  return kind === "database" ? "数据库" : `服务器 ${name}`;
}

/** Clocks this near agree. */
const agreementMs = 5 * 60_000;

function Ahead({ aheadMs }: ClockWitness) {
  const agrees = Math.abs(aheadMs) < agreementMs;
  return (
    <StateText icon={agrees ? "success" : "alert"} tone={agrees ? "success" : "warning"}>
      {aheadText(aheadMs)}
    </StateText>
  );
}

const columns: TableColumnsType<ClockWitness> = [
  {
    title: "时钟",
    key: "name",
    render: (_value, witness) => (
      <span className={styles.lines}>
        <span>{witnessName(witness)}</span>
        <small>{witness.independent ? "在另一台机器上" : "在本机上"}</small>
      </span>
    ),
  },
  { title: "它的时间", key: "time", render: (_value, { time }) => fullTime(time) },
  { title: "系统时间比它", key: "ahead", render: (_value, witness) => <Ahead {...witness} /> },
];

export function WitnessTable({ witnesses }: { witnesses: readonly ClockWitness[] }) {
  return (
    <Table<ClockWitness>
      aria-label="其他时钟"
      size="small"
      rowKey={({ kind, name }) => `${kind} ${name}`}
      columns={columns}
      dataSource={[...witnesses]}
      pagination={false}
      className={styles.witnesses ?? ""}
    />
  );
}
