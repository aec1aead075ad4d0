// The table of a CSV with the line above it: how it is read, how much of it was, and the way to a row.
import { Button, Checkbox, InputNumber, Select } from "antd";
import { useEffect, useMemo, useReducer, useRef, useState } from "react";
import touch from "@/shared/form/TouchChoice.module.css";
import { formatCount, formatSize } from "@/shared/lib/numbers";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { encodings } from "../editor/encodings";
import { ViewFault } from "../viewing/bytes";
import { asViewError } from "../viewing/useFileQuery";
import bar from "../viewing/ViewBar.module.css";
import { columnsOf } from "./column-widths";
import { type CsvFile, groupSize } from "./csv-file";
import { type CsvFormat, delimiters } from "./csv-format";
import { mostColumns } from "./row-scanner";
import { useLazyRows } from "./useLazyRows";
import { VirtualTable } from "./VirtualTable";

interface CsvDeskProps {
  csv: CsvFile;
  /** Another table has another one. */
  id: string;
  size: number;
  onFormat: (part: Partial<CsvFormat>) => void;
  onReopen: () => void;
}

/** Browsers draw nothing higher than some millions of pixels: further rows are on another sheet. */
const sheetRows = 400_000;

/** Rows beyond the last one in sight that are looked for. */
const ahead = 2_000;

const columnsIn = ({ first }: CsvFile) => first.reduce((most, row) => Math.max(most, row.length), 0);

export function CsvDesk({ csv, id, size, onFormat, onReopen }: CsvDeskProps) {
  const [head, setHead] = useState(csv.head);
  const [sheet, setSheet] = useState(0);
  const [running, setRunning] = useState(false);
  const [fault, setFault] = useState<Error | null>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const stop = useRef(false);
  const [wanted, setWanted] = useState<number | null>(null);
  const [goal, setGoal] = useState<{ row: number } | null>(null);
  useEffect(() => {
    stop.current = false;
    return () => {
      stop.current = true;
    };
  }, []);

  const onError = (cause: unknown) => {
    const error = asViewError(cause);
    setFault(error instanceof Error ? error : new Error("读取失败"));
  };
  const lazy = useLazyRows(id, { groupSize, read: (group) => csv.group(group), onError });
  const columns = useMemo(() => {
    const count = Math.min(mostColumns, columnsIn(csv));
    const names = Array.from(
      { length: count },
      (_, at) => (head ? csv.first[0]?.[at] : undefined) || `列 ${at + 1}`,
    );
    return columnsOf(names, csv.first.slice(head ? 1 : 0));
  }, [csv, head]);

  const skipped = head ? 1 : 0;
  const rows = Math.max(0, csv.rows - skipped);
  const from = sheet * sheetRows;
  const count = Math.min(sheetRows, Math.max(0, rows - from));

  /** Looks through the file to a row, or to the end. */
  async function look(to: number) {
    setFault(null);
    stop.current = false;
    setRunning(true);
    let drawn = performance.now();
    try {
      await csv.scan(to, () => {
        if (performance.now() - drawn > 100) {
          drawn = performance.now();
          redraw();
        }
        return !stop.current;
      });
    } catch (cause) {
      onError(cause);
    }
    setRunning(false);
  }

  function seen(first: number, last: number) {
    lazy.show(from + first + skipped, from + last + skipped);
    const wanted = from + last + skipped + ahead;
    if (!running && fault === null && csv.rows < wanted && !csv.complete) void look(wanted);
  }

  async function goTo(row: number) {
    if (row > rows && !csv.complete) await look(row + skipped);
    const target = Math.min(row, Math.max(1, csv.rows - skipped)) - 1;
    setSheet(Math.floor(target / sheetRows));
    setGoal({ row: target % sheetRows });
  }

  const sheets = Math.ceil(rows / sheetRows);
  const read = csv.complete
    ? `共 ${formatCount(rows)} 行，${formatCount(columns.length)} 列`
    : `已读 ${formatSize(csv.scanned)} / ${formatSize(size)}，${formatCount(rows)} 行`;
  return (
    <div className={bar.view}>
      <section className={bar.bar} aria-label="表格">
        <Select
          aria-label="编码"
          size="small"
          value={csv.format.encoding}
          options={encodings.map(({ name, label }) => ({ value: name, label }))}
          popupMatchSelectWidth={false}
          onChange={(encoding: CsvFormat["encoding"]) => onFormat({ encoding })}
        />
        <Select
          aria-label="分隔符"
          size="small"
          value={csv.format.delimiter}
          options={delimiters.map(({ character, label }) => ({ value: character, label }))}
          popupMatchSelectWidth={false}
          onChange={(delimiter: CsvFormat["delimiter"]) => onFormat({ delimiter })}
        />
        <Checkbox
          className={touch.choice ?? ""}
          checked={head}
          onChange={({ target }) => setHead(target.checked)}
        >
          首行为表头
        </Checkbox>
        <span className={bar.gap} />
        <span className={bar.state} role="status">
          {read}
        </span>
        {!csv.complete && (
          <Button
            size="small"
            onClick={() => {
              if (running) stop.current = true;
              else void look(Number.POSITIVE_INFINITY);
            }}
          >
            {running ? "停止" : "读到末尾"}
          </Button>
        )}
        {sheets > 1 && (
          <Select
            aria-label="显示的行"
            size="small"
            value={sheet}
            popupMatchSelectWidth={false}
            options={Array.from({ length: sheets }, (_, at) => ({
              value: at,
              label: `${formatCount(at * sheetRows + 1)} – ${formatCount(Math.min(rows, (at + 1) * sheetRows))} 行`,
            }))}
            onChange={setSheet}
          />
        )}
        <InputNumber
          aria-label="跳到第几行"
          size="small"
          min={1}
          precision={0}
          controls={false}
          placeholder="跳到行"
          className={bar.number ?? ""}
          value={wanted}
          onChange={setWanted}
          onPressEnter={() => wanted !== null && void goTo(wanted)}
        />
      </section>
      {fault !== null && (
        <div className={bar.fault} role="alert">
          {fault.message}
          {fault instanceof ViewFault ? (
            <Button size="small" type="link" onClick={onReopen}>
              重新打开
            </Button>
          ) : (
            <Button size="small" type="link" onClick={() => void look(csv.rows + ahead)}>
              重试
            </Button>
          )}
        </div>
      )}
      {columnsIn(csv) > mostColumns && (
        <div className={bar.note}>超过 {formatCount(mostColumns)} 列，后面的列不显示</div>
      )}
      {csv.irregular && (
        <div className={bar.note}>有的引号没有闭合，或有的行超过 1 MB：这些行可能显示不正确。</div>
      )}
      {rows === 0 && csv.complete ? (
        <EmptyPanel icon="dataset" text="表格是空的" note="文件里没有数据行" />
      ) : (
        <VirtualTable
          key={sheet}
          label="表格内容"
          columns={columns}
          count={count}
          firstNumber={from + 1}
          {...(csv.complete && { total: rows })}
          goal={goal}
          rowAt={(index) => lazy.rowAt(from + index + skipped)}
          onSeen={seen}
          foot={!csv.complete && running && "正在读取…"}
        />
      )}
    </div>
  );
}
