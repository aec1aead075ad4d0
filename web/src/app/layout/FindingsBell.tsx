// A bell for administrators: something in an instance looks like mining. Shown as long as the finding is open.
import { useQuery } from "@tanstack/react-query";
import { App, Tooltip } from "antd";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { findingsPage, openFindingsQuery } from "@/shared/findings/api";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import styles from "./TopBar.module.css";

export function FindingsBell() {
  const admin = useSession(isAdmin);
  const { data } = useQuery({ ...openFindingsQuery, enabled: admin });
  const count = admin ? data?.total : undefined;
  useAnnounce(count);
  if (!count) return null;
  return (
    <Tooltip title="异常行为">
      <Link
        to={`${findingsPage}?state=open`}
        className={styles.button}
        aria-label={`异常行为，${count} 条未处理`}
      >
        <Icon name="shield" />
        <span className={styles.dot}>{count > 99 ? "99+" : count}</span>
      </Link>
    </Tooltip>
  );
}

/** Announces an increase to screen readers; the initial number is only shown. */
function useAnnounce(count: number | undefined) {
  const { notification } = App.useApp();
  const before = useRef(count);
  useEffect(() => {
    if (count !== undefined && before.current !== undefined && count > before.current) {
      notification.warning({
        key: "findings",
        title: "发现异常行为",
        description: "有实例疑似在挖矿，请到「异常行为」查看证据并处理。",
        duration: 8,
      });
    }
    before.current = count;
  }, [count, notification]);
}
