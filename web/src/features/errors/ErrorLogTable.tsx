import { Table, type TableColumnsType } from "antd";
import { fullTime } from "@/shared/lib/time";
import type { ErrorLogEntry } from "@/shared/stores/error-log";
import styles from "./ErrorLogTable.module.css";

const columns: TableColumnsType<ErrorLogEntry> = [
  { title: "时间", key: "time", width: 170, render: (_value, entry) => fullTime(entry.time) },
  {
    title: "错误",
    key: "err",
    render: (_value, { err }) => (
      <>
        <div className={styles.message}>
          {err.name}：{err.message}
        </div>
        {err.stack && (
          <details>
            <summary className={styles.summary}>调用栈</summary>
            <pre className={styles.stack}>{err.stack}</pre>
          </details>
        )}
      </>
    ),
  },
  { title: "组件", key: "vm", width: 180, className: styles.wrap, render: (_value, entry) => entry.vm },
  { title: "说明", key: "info", width: 200, className: styles.wrap, render: (_value, entry) => entry.info },
  { title: "页面", key: "url", width: 260, className: styles.wrap, render: (_value, entry) => entry.url },
];

export function ErrorLogTable({ entries }: { entries: ErrorLogEntry[] }) {
  return (
    <Table<ErrorLogEntry>
      aria-label="错误日志"
      size="small"
      rowKey="id"
      columns={columns}
      dataSource={entries}
      pagination={false}
      scroll={{ x: 1000 }}
    />
  );
}
