// The filtered orders, unread ones in bold.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Badge, Button, Checkbox, Flex, Pagination, Segmented } from "antd";
import { profileQuery } from "@/shared/api/profile";
import { formatCount } from "@/shared/lib/numbers";
import type { ListState } from "@/shared/list/use-list-params";
import { isAdmin, useSession } from "@/shared/stores/session";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { SearchInput } from "@/shared/table/SearchInput";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { TimeText } from "@/shared/ui/TimeText";
import type { Worksheet, WorksheetList as Worksheets } from "@/shared/worksheets/api";
import { WorksheetStateText } from "@/shared/worksheets/WorksheetStateText";
import { kindLabels, optionsOf, priorityLabels } from "@/shared/worksheets/words";
import styles from "./WorksheetList.module.css";

interface WorksheetListProps {
  query: UseQueryResult<Worksheets>;
  list: ListState<"state" | "type" | "mine">;
  state: string;
  chosen: string | null;
  onShow: (id: string) => void;
  onAsk: () => void;
}

const kinds = optionsOf(kindLabels);

export function WorksheetList({ query, list, state, chosen, onShow, onAsk }: WorksheetListProps) {
  const { data, error } = query;
  const session = useSession();
  const leads = useQuery(profileQuery(session.id)).data?.groupLeader ?? false;
  const seesOthers = isAdmin(session) || leads;
  const counts = data?.counts;
  const counted = (label: string, count: number | undefined) =>
    count === undefined ? label : `${label} ${formatCount(count)}`;
  const filtered = list.q !== "" || list.filters.type !== undefined || list.filters.mine !== undefined;
  const retry = () => void query.refetch();

  return (
    <section className={styles.pane} aria-label="工单列表" aria-busy={query.isFetching}>
      <div className={styles.tools}>
        <Flex gap={8}>
          <SearchInput
            placeholder="编号、标题、申请人"
            value={list.q}
            onSearch={list.setSearch}
            width="100%"
          />
          <Button type="primary" icon={<Icon name="plus" size={14} />} onClick={onAsk}>
            新建
          </Button>
        </Flex>
        <Segmented
          block
          aria-label="状态"
          value={state}
          options={[
            { value: "open", label: counted("待办", counts && counts.undo + counts.doing) },
            { value: "done", label: counted("已完成", counts?.done) },
            { value: "closed", label: counted("已关闭", counts?.closed) },
            { value: "all", label: "全部" },
          ]}
          onChange={(next) => list.setFilters({ state: next === "open" ? undefined : next })}
        />
        <Flex gap={8} align="center" justify="space-between">
          <FilterSelect
            label="类型"
            value={list.filters.type}
            options={kinds}
            onChange={(type) => list.setFilters({ type })}
          />
          {seesOthers && (
            <Checkbox
              className={styles.mine}
              checked={list.filters.mine !== undefined}
              onChange={({ target }) => list.setFilters({ mine: target.checked ? "true" : undefined })}
            >
              只看我的
            </Checkbox>
          )}
        </Flex>
      </div>
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      <div className={styles.scroll}>
        {!data && error && <ErrorPanel title="工单没有取到" error={error} onRetry={retry} />}
        {!data && !error && <TableSkeleton rows={6} rowHeight={60} />}
        {data?.Worksheets.length === 0 && (
          <EmptyPanel
            icon="ticket"
            text={filtered ? "没有符合条件的工单" : state === "open" ? "没有待办的工单" : "这里没有工单"}
            note={filtered ? undefined : "需要配额、显卡、账号，或者遇到了问题，都可以在这里提出"}
            action={
              filtered ? (
                <Button onClick={list.reset}>清除筛选</Button>
              ) : (
                <Button onClick={onAsk}>新建工单</Button>
              )
            }
          />
        )}
        <ul className={styles.rows}>
          {data?.Worksheets.map((one) => (
            <li key={one.id}>
              <Row one={one} chosen={one.id === chosen} onShow={onShow} />
            </li>
          ))}
        </ul>
      </div>
      {data && data.total > list.size && (
        <div className={styles.pages}>
          <Pagination
            simple
            current={list.page}
            pageSize={list.size}
            total={data.total}
            showSizeChanger={false}
            onChange={(page) => list.setPage(page)}
          />
        </div>
      )}
    </section>
  );
}

interface RowProps {
  one: Worksheet;
  chosen: boolean;
  onShow: (id: string) => void;
}

function Row({ one, chosen, onShow }: RowProps) {
  const pressing = one.priority === "urgent" || one.priority === "high";
  return (
    <button
      type="button"
      className={chosen ? `${styles.row} ${styles.chosen}` : styles.row}
      aria-current={chosen ? "true" : undefined}
      onClick={() => onShow(one.id)}
    >
      <span className={styles.line}>
        <span className={one.unread ? `${styles.name} ${styles.unread}` : styles.name}>{one.title}</span>
        {one.unread && <Badge status="processing" title="有新动态" />}
        <WorksheetStateText state={one.state} />
      </span>
      <span className={styles.note}>
        <span className={styles.who}>
          #{one.number} · {one.requester.name || one.requester.username} · {kindLabels[one.type]}
          {pressing && <b className={styles.pressing}> · {priorityLabels[one.priority]}</b>}
        </span>
        <TimeText time={one.Updated} />
      </span>
    </button>
  );
}
