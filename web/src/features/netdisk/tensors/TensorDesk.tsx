// The facts of a file of weights, and the list of its tensors or the first values of its array.
import { useMemo, useState } from "react";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { SearchInput } from "@/shared/table/SearchInput";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { columnsOf } from "../tables/column-widths";
import { VirtualTable } from "../tables/VirtualTable";
import bar from "../viewing/ViewBar.module.css";
import { shapeText, type Tensor, type TensorFile } from "./model";
import styles from "./TensorDesk.module.css";

const cellsOf = ({ name, type, shape, bytes }: Tensor) => [
  name,
  type,
  shapeText(shape),
  bytes === null ? "—" : formatSize(bytes),
];

export function TensorDesk({ tensors: file }: { tensors: TensorFile }) {
  const { format, facts, warnings, tensors, omitted, values } = file;
  const [wanted, setWanted] = useState("");
  const found = useMemo(() => {
    const words = wanted.trim().toLowerCase();
    return words === "" ? tensors : tensors.filter(({ name }) => name.toLowerCase().includes(words));
  }, [tensors, wanted]);
  const table = useMemo(() => {
    const names = ["名称", "类型", "形状", "大小"];
    return values
      ? columnsOf(values.names, values.rows)
      : columnsOf(names, tensors.slice(0, 60).map(cellsOf));
  }, [tensors, values]);
  const count = values ? values.rows.length : found.length;
  return (
    <div className={bar.view}>
      <section className={bar.bar} aria-label="概要">
        <b>{format}</b>
        {!values && <span className={bar.state}>{formatCount(tensors.length + omitted)} 个张量</span>}
        {values && values.note !== "" && <span className={bar.state}>{values.note}</span>}
        <span className={bar.gap} />
        {tensors.length > 12 && <SearchInput placeholder="按名称筛选" value={wanted} onSearch={setWanted} />}
      </section>
      {warnings.map((words) => (
        <div key={words} className={bar.note} role="note">
          <Icon name="alert" size={14} /> {words}
        </div>
      ))}
      {omitted > 0 && <div className={bar.note}>另有 {formatCount(omitted)} 个张量未列出</div>}
      {facts.length > 0 && (
        <dl className={styles.facts} data-scrolls>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={value}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {count === 0 ? (
        <EmptyPanel
          icon="search"
          text={wanted === "" ? "没有张量" : "没有匹配的张量"}
          note={wanted === "" ? "文件里只有上面这些内容" : "换个词再试"}
        />
      ) : (
        <VirtualTable
          key={wanted}
          label={values ? "数组的值" : "张量"}
          columns={table}
          count={count}
          total={count}
          rowAt={(index) => {
            const tensor = found[index];
            return values ? values.rows[index] : tensor && cellsOf(tensor);
          }}
          onSeen={() => {}}
        />
      )}
    </div>
  );
}
