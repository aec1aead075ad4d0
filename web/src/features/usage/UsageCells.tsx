// A row of the table, and the same as a card.
import { Link } from "react-router";
import { formatCount } from "@/shared/lib/numbers";
import type { DataColumn } from "@/shared/table/data-table";
import { Meter } from "@/shared/ui/Meter";
import type { Subject, UsageRow } from "./api";
import styles from "./Usage.module.css";
import { utilizationText } from "./UsageSummary";

/** The URL of this page for one user or group. */
export type AddressOf = (row: UsageRow) => string | undefined;

const shownName = ({ name, fullName }: UsageRow) =>
  name ? (fullName && fullName !== name ? `${fullName} ${name}` : name) : "未分组";

function Who({ row, addressOf }: { row: UsageRow; addressOf: AddressOf }) {
  const address = addressOf(row);
  return address ? <Link to={address}>{shownName(row)}</Link> : shownName(row);
}

/** 2026-11-01/2026-11-20 as 2026-11-01 至 2026-11-20. */
export const periodText = (period: string) => period.replace("/", " 至 ");

function Utilization({ row }: { row: UsageRow }) {
  return (
    <span className={styles.utilization}>
      {row.utilization != null && (
        <span className={styles.meter}>
          <Meter thin calm label={`${shownName(row)}的平均利用率`} used={row.utilization} limit={100} />
        </span>
      )}
      <span className={styles.percent}>{utilizationText(row)}</span>
    </span>
  );
}

const hours = (
  key: "heldHours" | "usedHours" | "unmeasuredHours" | "cpuHours",
  title: string,
  sort: string,
): DataColumn<UsageRow> => ({ key, title, sort, align: "right", render: (row) => formatCount(row[key]) });

const figures: readonly DataColumn<UsageRow>[] = [
  hours("heldHours", "占用卡时", "held"),
  hours("usedHours", "实际使用卡时", "used"),
  {
    key: "utilization",
    title: "平均利用率",
    sort: "utilization",
    align: "right",
    render: (row) => <Utilization row={row} />,
  },
  hours("unmeasuredHours", "未测量卡时", "unmeasured"),
  hours("cpuHours", "CPU 核时", "cpu"),
  {
    key: "instances",
    title: "实例数",
    sort: "instances",
    align: "right",
    render: (row) => formatCount(row.instances),
  },
];

export function usageColumns(
  subject: Subject,
  seesOthers: boolean,
  addressOf: AddressOf,
): DataColumn<UsageRow>[] {
  const who: DataColumn<UsageRow> = {
    key: "name",
    title: subject === "group" ? "用户组" : "人员",
    sort: "name",
    always: true,
    render: (row) => <Who row={row} addressOf={addressOf} />,
  };
  const period: DataColumn<UsageRow> = {
    key: "period",
    title: "时间",
    sort: "period",
    always: true,
    render: (row) => periodText(row.period),
  };
  return [...(seesOthers ? [who] : []), period, ...figures];
}

interface UsageCardProps {
  row: UsageRow;
  seesOthers: boolean;
  addressOf: AddressOf;
}

export function UsageCard({ row, seesOthers, addressOf }: UsageCardProps) {
  return (
    <div>
      <div className={styles.cardHead}>
        <b>{seesOthers ? <Who row={row} addressOf={addressOf} /> : periodText(row.period)}</b>
        <span>{formatCount(row.heldHours)} 卡时</span>
      </div>
      {seesOthers && <div className={styles.facts}>{periodText(row.period)}</div>}
      <div className={styles.facts}>
        实际使用 {formatCount(row.usedHours)} · 平均利用率 {utilizationText(row)} · 未测量{" "}
        {formatCount(row.unmeasuredHours)}
      </div>
      <div className={styles.facts}>
        CPU {formatCount(row.cpuHours)} 核时 · {formatCount(row.instances)} 个实例
      </div>
    </div>
  );
}
