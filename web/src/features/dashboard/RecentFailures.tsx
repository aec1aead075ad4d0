// Changing calls that were refused or failed lately.
import { Link } from "react-router";
import type { AdminFigures } from "@/shared/api/dashboard";
import { actionLabel } from "@/shared/lib/operate-actions";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./feed.module.css";

export function RecentFailures({ failures }: { failures: AdminFigures["recentFailures"] }) {
  const more = (
    <Link to="/logs/operate_log" className={styles.more}>
      操作日志
    </Link>
  );
  return (
    <Panel title="最近失败的操作" extra={more}>
      {failures.length === 0 ? (
        <EmptyPanel icon="success" text="最近没有失败的操作" />
      ) : (
        <ul className={styles.feed}>
          {failures.map((log) => (
            <li key={log.id} className={styles.row}>
              <Icon name="alert" className={styles.fault} />
              <div className={styles.words}>
                <div>
                  {[log.username || "未登录", actionLabel(log.action), log.target].filter(Boolean).join(" ")}
                  {log.detail && `：${log.detail}`}
                </div>
                <div className={styles.note}>
                  <TimeText time={log.time} /> · {log.ip}
                  {log.requestId && ` · 请求 ${log.requestId.slice(0, 18)}`}
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
