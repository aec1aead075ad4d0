// The people of the whole portal in four figures.
import type { AdminFigures } from "@/shared/api/dashboard";
import { formatCount } from "@/shared/lib/numbers";
import styles from "@/shared/ui/Figures.module.css";
import { Panel } from "@/shared/ui/Panel";
import { Figure } from "./Figure";

export function AdminStrip({ figures }: { figures: AdminFigures }) {
  const { users, groups, sessions, failedLogins24h } = figures;
  const disabled = users.total - users.active;
  return (
    <Panel label="用户与登录">
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
