// Open work orders: the user's own, or all for administrators.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { LinkButton } from "@/shared/frame/LinkButton";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
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
  const title = admin ? "待办工单" : "我的未完成工单";
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
        <EmptyPanel
          icon="ticket"
          text={admin ? "没有待办的工单" : "没有未完成的工单"}
          action={!admin && <LinkButton to={`${worksheetLinks.list}?panel=new`}>新建工单</LinkButton>}
        />
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
