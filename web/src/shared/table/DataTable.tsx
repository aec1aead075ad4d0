// A list in its card: filter bar, rows, pages. Paging and sorting happen on the server and are controlled by the page,
// which reads them from the URL. All five states are here: loading, failed, empty, normal, refreshing.
import { Button, ConfigProvider } from "antd";
import type { ReactNode } from "react";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { usePhone } from "@/shared/ui/usePhone";
import { CardList } from "./CardList";
import { ColumnMenu } from "./ColumnMenu";
import styles from "./DataTable.module.css";
import type {
  DataColumn,
  DataSource,
  EmptyState,
  Expansion,
  ListPosition,
  RowKey,
  Selection,
} from "./data-table";
import { FilterBar, type FilterBarProps } from "./FilterBar";
import { useHiddenColumns } from "./hidden-columns";
import { OrderSelect } from "./OrderSelect";
import { SelectionBar } from "./SelectionBar";
import { TableFoot } from "./TableFoot";
import { TableSkeleton } from "./TableSkeleton";
import { WideTable } from "./WideTable";

interface DataTableProps<Row extends object> {
  /** Names this table among the reader's habits, e.g. `users`. */
  id: string;
  /** The accessible name, and the subject of the error: 用户列表. */
  label: string;
  /** The unit of the total: 人, 个, 条. */
  unit: string;
  columns: readonly DataColumn<Row>[];
  rowKey: (row: Row) => RowKey;
  source: DataSource<Row>;
  list: ListPosition;
  filters: FilterBarProps;
  empty: EmptyState;
  card: (row: Row) => ReactNode;
  selection?: Selection<Row>;
  /** A dimmed row, such as a disabled account. */
  muted?: (row: Row) => boolean;
  rowHeight?: number;
  tools?: ReactNode;
  /** More about a row, below it; not on phones, whose cards have room. */
  expansion?: Expansion<Row>;
}

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { id, label, columns, source, list, filters, selection, tools } = props;
  const phone = usePhone();
  const [hidden, setHidden] = useHiddenColumns(
    id,
    columns.filter((column) => column.optional).map((column) => column.key),
  );
  const visible = columns.filter((column) => column.always || !hidden.includes(column.key));
  const selecting = selection !== undefined && selection.keys.length > 0;

  const refresh = (
    <Button
      type="text"
      aria-label="刷新"
      title="刷新"
      icon={<Icon name="refresh" />}
      style={{ color: "var(--c-text2)" }}
      onClick={source.onRetry}
    />
  );
  const content = (
    <Panel label={label} refreshing={source.fetching && source.data !== undefined}>
      <div className={styles.top}>
        {/* Covered by the selection bar, so out of reach for the keyboard too. */}
        <div inert={selecting}>
          <FilterBar
            {...filters}
            tools={
              phone ? (
                tools
              ) : (
                <>
                  {tools}
                  <ColumnMenu
                    columns={columns.filter((column) => !column.always)}
                    hidden={hidden}
                    onChange={setHidden}
                  />
                  {refresh}
                </>
              )
            }
            sheetExtra={columns.some(({ sort }) => sort) && <OrderSelect columns={columns} list={list} />}
          />
        </div>
        {selecting && (
          <SelectionBar
            text={`已选 ${selection.keys.length} ${selection.unit}`}
            actions={selection.actions}
            onClear={() => selection.onChange([])}
          />
        )}
      </div>
      <Rows {...props} columns={visible} phone={phone} />
    </Panel>
  );
  // Fingers want more than the 28 px of a mouse.
  return phone ? <ConfigProvider componentSize="medium">{content}</ConfigProvider> : content;
}

function Rows<Row extends object>(props: DataTableProps<Row> & { phone: boolean }) {
  const { label, unit, rowKey, source, list, filters, empty, card, selection, phone, rowHeight = 44 } = props;
  const { data, error } = source;
  if (!data) {
    if (error) return <ErrorPanel title={`${label}没有取到`} error={error} onRetry={source.onRetry} />;
    return <TableSkeleton rows={Math.min(list.size, 8)} rowHeight={phone ? rowHeight * 2 : rowHeight} />;
  }
  return (
    <>
      {error && <RefreshFailed error={error} onRetry={source.onRetry} />}
      {data.items.length === 0 ? (
        <NoRows total={data.total} list={list} filters={filters} empty={empty} />
      ) : phone ? (
        <CardList label={label} rows={data.items} rowKey={rowKey} card={card} selection={selection} />
      ) : (
        <WideTable {...props} rows={data.items} />
      )}
      <TableFoot total={data.total} unit={unit} list={list} />
    </>
  );
}

function NoRows({
  total,
  list,
  filters,
  empty,
}: {
  total: number;
  list: ListPosition;
  filters: FilterBarProps;
  empty: EmptyState;
}) {
  if (total > 0) {
    return (
      <EmptyPanel
        icon={empty.icon}
        text="这一页没有内容了"
        action={<Button onClick={() => list.setPage(1)}>回到第 1 页</Button>}
      />
    );
  }
  if (filters.active > 0 || filters.search?.value) {
    return (
      <EmptyPanel
        icon="search"
        text="没有符合条件的结果"
        action={<Button onClick={filters.onReset}>清除筛选</Button>}
      />
    );
  }
  return <EmptyPanel {...empty} />;
}
