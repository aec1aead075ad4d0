import type { User } from "@/shared/api/profile";
import { ADMIN } from "@/shared/lib/app-route";
import { fullTime } from "@/shared/lib/time";
import { Panel } from "@/shared/ui/Panel";
import styles from "./facts.module.css";

const sources: Record<User["source"], string> = { local: "本地账号", ldap: "统一身份（LDAP）" };

export function AccountFacts({ user }: { user: User }) {
  return (
    <Panel title="账号" padded>
      <dl className={styles.facts}>
        <dt>角色</dt>
        <dd>
          {user.role === ADMIN ? "管理员" : "普通用户"}
          {user.groupLeader && "，组长"}
        </dd>
        <dt>来源</dt>
        <dd>{sources[user.source]}</dd>
        <dt>创建</dt>
        <dd>{fullTime(user.created)}</dd>
        {user.endsAt && (
          <>
            <dt>到期</dt>
            <dd>{fullTime(user.endsAt)}，之后不能登录</dd>
          </>
        )}
        <dt>最近登录</dt>
        <dd>{user.lastLogin ? fullTime(user.lastLogin) : "—"}</dd>
      </dl>
    </Panel>
  );
}
