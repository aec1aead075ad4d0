// The sheets of a workbook, one at a time.
import { Tabs } from "antd";
import { useMemo, useState } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { columnsOf } from "../tables/column-widths";
import { VirtualTable } from "../tables/VirtualTable";
import bar from "../viewing/ViewBar.module.css";
import type { Sheet } from "./read-office";
import styles from "./SheetDesk.module.css";

/** A, B … Z, AA, as in the program that made it. */
export function columnName(index: number): string {
  let name = "";
  for (let left = index + 1; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}

export function SheetDesk({ sheets }: { sheets: readonly Sheet[] }) {
  const [at, setAt] = useState(0);
  const sheet = sheets[at];
  const columns = useMemo(() => {
    const count = sheet?.rows.reduce((most, row) => Math.max(most, row.length), 0) ?? 0;
    return columnsOf(
      Array.from({ length: count }, (_, index) => columnName(index)),
      sheet?.rows ?? [],
    );
  }, [sheet]);
  if (!sheet) return <EmptyPanel icon="dataset" text="工作簿里没有工作表" note="可以下载后用 Excel 打开" />;
  const cut = sheet.total > sheet.rows.length || sheet.columns > columns.length;
  return (
    <div className={bar.view}>
      <div className={styles.tabs}>
        <Tabs
          size="small"
          activeKey={String(at)}
          items={sheets.map(({ name }, index) => ({ key: String(index), label: name }))}
          onChange={(key) => setAt(Number(key))}
        />
      </div>
      {cut && (
        <div className={bar.note}>
          工作表有 {formatCount(sheet.total)} 行、{formatCount(sheet.columns)} 列，这里显示前{" "}
          {formatCount(sheet.rows.length)} 行、
          {formatCount(columns.length)} 列
        </div>
      )}
      {sheet.rows.length === 0 ? (
        <EmptyPanel icon="dataset" text="这张工作表是空的" note="可以切换到其他工作表" />
      ) : (
        <VirtualTable
          key={at}
          label={sheet.name}
          columns={columns}
          count={sheet.rows.length}
          total={sheet.total}
          rowAt={(index) => sheet.rows[index]}
          onSeen={() => {}}
        />
      )}
    </div>
  );
}
