// Changing calls that were refused or failed lately.
import { Link } from "react-router";
import type { AdminFigures } from "@/shared/api/dashboard";
import { actionLabel } from "@/shared/lib/operate-actions";
import { Icon } from "@/shared/theme/Icon";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./feed.module.css";

/** The log has the others. */
const SHOWN = 5;

/** What it was about; an address of the API says nothing to people, and the log has it. */
const targetOf = ({ target }: AdminFigures["recentFailures"][number]) =>
  target.startsWith("/api/") ? "" : target;

export function RecentFailures({ failures }: { failures: AdminFigures["recentFailures"] }) {
  const more = (
    <Link to="/logs/operate_log?result=failure" className={styles.more}>
      操作日志
    </Link>
  );
  return (
    <Panel title="最近失败的操作" extra={more}>
      {failures.length === 0 ? (
        <p className={styles.none}>最近没有失败的操作</p>
      ) : (
        <ul className={styles.feed}>
          {failures.slice(0, SHOWN).map((log) => (
            <li key={log.id} className={styles.row}>
              <Icon name="alert" className={styles.fault} />
              <div className={styles.words}>
                <div>
                  {[log.username || "未登录", actionLabel(log.action), targetOf(log)]
                    .filter(Boolean)
                    .join(" ")}
                  {log.detail && `：${log.detail}`}
                </div>
                <div className={styles.note}>
                  <TimeText time={log.time} /> · {log.ip}
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
