// The whole portal in four figures, each leading to the page that says more.
import { Link } from "react-router";
import { formatCount } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { Panel } from "@/shared/ui/Panel";
import type { AdminFigures } from "./api";
import styles from "./figures.module.css";

export function AdminStrip({ figures }: { figures: AdminFigures }) {
  const { users, groups, sessions, failedLogins24h } = figures;
  const disabled = users.total - users.active;
  return (
    <Panel label="全站">
      <div className={styles.strip}>
        <Figure
          to="/users/user_list"
          icon="users"
          label="用户"
          value={users.total}
          unit="人"
          note={`管理员 ${formatCount(users.admins)}${disabled > 0 ? ` · 禁用 ${formatCount(disabled)}` : ""}`}
        />
        <Figure
          to="/users/group_list"
          icon="layers"
          label="用户组"
          value={groups}
          unit="个"
          note="成员与组长"
        />
        <Figure
          to="/logs/login_log"
          icon="key"
          label="有效会话"
          value={sessions}
          unit="个"
          note="未过期、未退出的登录"
        />
        <Figure
          to="/logs/login_log"
          icon="alert"
          label="登录失败"
          value={failedLogins24h}
          unit="次"
          note="最近 24 小时"
          alarm={failedLogins24h > 0}
        />
      </div>
    </Panel>
  );
}

interface FigureProps {
  to: string;
  icon: IconName;
  label: string;
  value: number;
  unit: string;
  note: string;
  alarm?: boolean;
}

function Figure({ to, icon, label, value, unit, note, alarm = false }: FigureProps) {
  return (
    <Link to={to} className={styles.cell}>
      <div className={styles.key}>
        <Icon name={icon} className={alarm ? styles.alarm : undefined} />
        {label}
      </div>
      <div className={styles.value}>
        {formatCount(value)}
        <small>{unit}</small>
      </div>
      <div className={styles.note}>{note}</div>
    </Link>
  );
}
