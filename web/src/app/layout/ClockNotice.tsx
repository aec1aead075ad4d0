// A notice for administrators that the system clock is not trusted, so that tasks are paused. Disappears with its
// cause.
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "react-router";
import { clockPage, clockQuery } from "@/shared/clock/api";
import { aheadOfPlatform, aheadText } from "@/shared/clock/words";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import styles from "./PageNotice.module.css";

/** A clock hardly ever goes wrong. */
const calmMs = 60_000;

export function ClockNotice() {
  const admin = useSession(isAdmin);
  const { pathname } = useLocation();
  const { data } = useQuery({ ...clockQuery, enabled: admin, refetchInterval: calmMs });
  // The clock's own page has the details.
  if (!admin || !data || data.trusted || pathname === clockPage) return null;
  return (
    <div className={styles.notice} role="alert">
      <Icon name="clock" className={styles.icon} />
      <span className={styles.text}>
        <b>系统时间异常，比平台时间{aheadText(aheadOfPlatform(data))}。</b>
        会删除数据或记账的后台任务已暂停。
      </span>
      <Link to={clockPage} className={styles.link}>
        查看
      </Link>
    </div>
  );
}
