// A card's history: its outages and how they ended, and its machine's kernel reports of it.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Drawer } from "antd";
import type { ReactNode } from "react";
import { drawerClose } from "@/shared/form/drawer-close";
import { fullTime } from "@/shared/lib/time";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { StateText } from "@/shared/ui/StateText";
import { usePhone } from "@/shared/ui/usePhone";
import { type CardOutage, type CardXid, outagesQuery, xidsQuery } from "./api";
import styles from "./CardHistoryDrawer.module.css";
import { classLooks, courseText, reasonLabels } from "./card-words";

interface CardHistoryDrawerProps {
  open: boolean;
  /** The card's id. */
  id: string;
  name: string;
  onClose: () => void;
}

export function CardHistoryDrawer({ open, id, name, onClose }: CardHistoryDrawerProps) {
  const phone = usePhone();
  return (
    <Drawer
      title={`${name} 的故障记录`}
      open={open}
      onClose={onClose}
      closable={drawerClose}
      size={phone ? "100%" : 520}
      destroyOnHidden
    >
      <History id={id} />
    </Drawer>
  );
}

function History({ id }: { id: string }) {
  const outages = useQuery(outagesQuery(id));
  const xids = useQuery(xidsQuery(id));
  return (
    <>
      <Records
        title="故障"
        missing="故障没有取到"
        query={outages}
        empty={<EmptyPanel icon="success" text="没有出过故障" />}
        render={(one) => <Outage key={one.id} outage={one} />}
      />
      <Records
        title="内核日志里的 Xid"
        missing="内核日志里的 Xid 没有取到"
        query={xids}
        empty={
          <EmptyPanel
            icon="success"
            text="没有 Xid"
            note="NVIDIA 驱动报告的错误；读不到服务器的内核日志时这里也是空的"
          />
        }
        render={(one) => <Xid key={`${one.code} ${one.firstSeen}`} xid={one} />}
      />
    </>
  );
}

interface RecordsProps<One> {
  title: string;
  /** When there is nothing to show after a failure. */
  missing: string;
  query: UseQueryResult<{ items: One[]; total: number }>;
  empty: ReactNode;
  render: (one: One) => ReactNode;
}

function Records<One>({ title, missing, query, empty, render }: RecordsProps<One>) {
  const { data, error, refetch } = query;
  const retry = () => void refetch();
  const left = data ? data.total - data.items.length : 0;
  return (
    <section className={styles.records} aria-label={title}>
      <h3>{title}</h3>
      {!data && error && <ErrorPanel title={missing} error={error} onRetry={retry} />}
      {!data && !error && <TableSkeleton rows={2} rowHeight={48} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data?.items.length === 0 && empty}
      {data && data.items.length > 0 && (
        <ul aria-label={title}>
          {data.items.map(render)}
          {left > 0 && <li className={styles.left}>更早的 {left} 条没有显示</li>}
        </ul>
      )}
    </section>
  );
}

function Outage({ outage }: { outage: CardOutage }) {
  const { reason, detail, since, ended } = outage;
  return (
    <li>
      <div className={styles.head}>
        <StateText icon={ended ? "success" : "fault"} tone={ended ? "off" : "error"}>
          {ended ? "已恢复" : "故障中"}
        </StateText>
        <span>{reasonLabels[reason]}</span>
      </div>
      <p>{detail}</p>
      <small>
        {fullTime(since)}
        {ended && ` 至 ${fullTime(ended)}`}
      </small>
      <small>{courseText(outage)}</small>
    </li>
  );
}

function Xid({ xid: { code, class: kind, meaning, times, words, firstSeen, lastSeen } }: { xid: CardXid }) {
  const { label, tone } = classLooks[kind];
  return (
    <li>
      <div className={styles.head}>
        <StateText icon={tone === "off" ? "info" : "alert"} tone={tone}>
          {label}
        </StateText>
        <span>
          Xid {code}
          {times > 1 && ` · ${times} 次`}
        </span>
      </div>
      {meaning && <p>{meaning}</p>}
      {words && <small className={styles.words}>{words}</small>}
      <small>
        {times > 1 && `${fullTime(firstSeen)} 至 `}
        {fullTime(lastSeen)}
      </small>
    </li>
  );
}
