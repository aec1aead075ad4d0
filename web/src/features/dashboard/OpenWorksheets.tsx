// Open work orders: the user's own, or all for administrators.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { TimeText } from "@/shared/ui/TimeText";
import { openWorksheetsQuery, worksheetLinks } from "@/shared/worksheets/api";
import { WorksheetStateText } from "@/shared/worksheets/WorksheetStateText";
import { kindLabels } from "@/shared/worksheets/words";
import styles from "./feed.module.css";

export function OpenWorksheets({ admin }: { admin: boolean }) {
  const { data, error, refetch } = useQuery(openWorksheetsQuery(admin));
  const title = admin ? "待办工单" : "我的工单";
  const retry = () => void refetch();
  const more = (
    <Link to={worksheetLinks.list} className={styles.more}>
      {data && data.total > data.Worksheets.length ? `全部 ${data.total} 个` : "工单系统"}
    </Link>
  );
  return (
    <Panel title={title} extra={more}>
      {!data && error && <ErrorPanel title="工单没有取到" error={error} onRetry={retry} />}
      {!data && !error && <TableSkeleton rows={2} rowHeight={48} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data?.Worksheets.length === 0 && (
        <p className={styles.none}>
          {admin ? "暂无待办工单" : "暂无处理中的工单"}
          {!admin && <Link to={`${worksheetLinks.list}?panel=new`}>新建工单</Link>}
        </p>
      )}
      {data && data.Worksheets.length > 0 && (
        <ul className={styles.feed}>
          {data.Worksheets.map((one) => (
            <li key={one.id}>
              <Link to={worksheetLinks.one(one.id)} className={styles.row}>
                <div className={styles.words}>
                  {one.unread ? <b>{one.title}</b> : one.title}
                  <div className={styles.note}>
                    #{one.number} · {admin && `${one.requester.name || one.requester.username} · `}
                    {kindLabels[one.type]} · <TimeText time={one.Updated} />
                  </div>
                </div>
                <WorksheetStateText state={one.state} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
