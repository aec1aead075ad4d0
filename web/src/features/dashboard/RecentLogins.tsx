// Recent sign-ins, successful or refused.
import { Link } from "react-router";
import type { AdminFigures } from "@/shared/api/dashboard";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./feed.module.css";

interface Outcome {
  word: string;
  icon: IconName;
}

const success: Outcome = { word: "成功", icon: "success" };

/** Why a sign-in was refused; a reason of a later server is shown by its name. */
const refusals: Record<string, Outcome> = {
  wrong_credentials: { word: "用户名或密码错误", icon: "fault" },
  disabled: { word: "账号已禁用", icon: "ban" },
  limited: { word: "尝试过于频繁", icon: "clock" },
  expired: { word: "账号或密码已过期", icon: "clock" },
  locked: { word: "账号已锁定", icon: "lock" },
  not_admitted: { word: "没有平台账号", icon: "ban" },
  directory_unavailable: { word: "目录服务不可用", icon: "fault" },
};

const actions: Record<string, string> = { login: "登录", logout: "退出", renew: "续期" };

function outcomeOf(result: string): Outcome {
  if (result === "success") return success;
  const { word, icon } = refusals[result] ?? { word: result, icon: "fault" };
  return { word: `失败：${word}`, icon };
}

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
          {logins.map((log) => {
            const { word, icon } = outcomeOf(log.result);
            return (
              <li key={log.id} className={styles.row}>
                <Icon name={icon} className={log.result === "success" ? styles.fine : styles.fault} />
                <div className={styles.words}>
                  {log.username} {actions[log.action] ?? log.action}
                  {word}
                  <div className={styles.note}>
                    <TimeText time={log.time} /> · {log.ip}
                  </div>
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}
