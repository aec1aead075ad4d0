// Who signed in, or tried to, lately.
import { Link } from "react-router";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import type { AdminFigures } from "./api";
import styles from "./feed.module.css";

type LoginLog = AdminFigures["recentLogins"][number];

const results: Record<LoginLog["result"], { word: string; icon: IconName }> = {
  success: { word: "成功", icon: "success" },
  wrong_credentials: { word: "用户名或密码错误", icon: "fault" },
  disabled: { word: "账号已禁用", icon: "ban" },
  limited: { word: "尝试过于频繁", icon: "clock" },
};

const actions: Record<LoginLog["action"], string> = { login: "登录", logout: "退出", renew: "续期" };

export function RecentLogins({ logins }: { logins: AdminFigures["recentLogins"] }) {
  const more = (
    <Link to="/logs/login_log" className={styles.more}>
      登录日志
    </Link>
  );
  return (
    <Panel title="最近登录" extra={more}>
      {logins.length === 0 ? (
        <EmptyPanel icon="user" text="还没有人登录过" />
      ) : (
        <ul className={styles.feed}>
          {logins.map((log) => (
            <li key={log.id} className={styles.row}>
              <Icon
                name={results[log.result].icon}
                className={log.result === "success" ? styles.fine : styles.fault}
              />
              <div className={styles.words}>
                {log.username} {actions[log.action]}
                {log.result === "success" ? "成功" : `失败：${results[log.result].word}`}
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
