// A Parquet file by its schema and first rows.
import { Segmented } from "antd";
import { useMemo, useState } from "react";
import { formatCount } from "@/shared/lib/numbers";
import type { Resource } from "../api";
import { columnsOf } from "../tables/column-widths";
import { VirtualTable } from "../tables/VirtualTable";
import { useFileQuery } from "../viewing/useFileQuery";
import bar from "../viewing/ViewBar.module.css";
import { ViewState } from "../viewing/ViewState";
import { askWorker } from "../viewing/worker-call";
import type { ParquetFile } from "./read-parquet";

const start = () => new Worker(new URL("./parquet.worker.ts", import.meta.url), { type: "module" });

export function ParquetView({ file }: { file: Resource }) {
  const { data, error, refetch } = useFileQuery(file, "parquet", (source, signal) =>
    askWorker<ParquetFile>(start, source, null, signal),
  );
  return (
    <ViewState file={file} data={data} error={error} onRetry={() => void refetch()}>
      {(parquet) => <ParquetDesk parquet={parquet} />}
    </ViewState>
  );
}

function ParquetDesk({ parquet }: { parquet: ParquetFile }) {
  const { rows, groups, writer, codecs, schema, columns, values, note } = parquet;
  const [part, setPart] = useState("rows");
  const fields = useMemo(() => schema.map(({ name, type, note: kind }) => [name, type, kind]), [schema]);
  const table = useMemo(
    () =>
      part === "rows"
        ? columnsOf(
            columns.map(({ name }) => name),
            values,
            columns.map(({ type }) => type),
          )
        : columnsOf(["列", "类型", "取值"], fields),
    [part, columns, values, fields],
  );
  const shown = part === "rows" ? values : fields;
  return (
    <div className={bar.view}>
      <section className={bar.bar} aria-label="概要">
        <Segmented
          size="small"
          aria-label="显示的内容"
          value={part}
          options={[
            { value: "rows", label: "数据" },
            { value: "schema", label: "结构" },
          ]}
          onChange={setPart}
        />
        <span className={bar.gap} />
        <span className={bar.state} title={writer}>
          {formatCount(rows)} 行，{formatCount(schema.length)} 列，{formatCount(groups)} 个行组
          {codecs.length > 0 && `，${codecs.join("、")}`}
        </span>
      </section>
      {part === "rows" && note !== "" && <div className={bar.note}>{note}</div>}
      <VirtualTable
        key={part}
        label={part === "rows" ? "数据" : "结构"}
        columns={table}
        count={shown.length}
        total={part === "rows" ? rows : shown.length}
        rowAt={(index) => shown[index]}
        onSeen={() => {}}
      />
    </div>
  );
}
