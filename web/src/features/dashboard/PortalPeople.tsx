// 用户与登录: how many there are, each a link with its filter.
import { Link } from "react-router";
import type { AdminFigures } from "@/shared/api/dashboard";
import { formatCount } from "@/shared/lib/numbers";
import { Panel } from "@/shared/ui/Panel";
import feed from "./feed.module.css";

const DAY = 24 * 3_600_000;

interface Row {
  label: string;
  value: string;
  note?: string;
  to: string;
}

/** What the figure counts: all failures of a day, whatever the reason. */
function failedLink(now: number): string {
  const from = new Date(now - DAY).toISOString();
  return `/logs/login_log?${new URLSearchParams({ result: "failure", from }).toString()}`;
}

export function rowsOf(
  { users, groups, sessions, failedLogins24h }: AdminFigures,
  now = Date.now(),
): readonly Row[] {
  const disabled = users.total - users.active;
  return [
    {
      label: "用户",
      value: `${formatCount(users.total)} 人`,
      note: [`管理员 ${formatCount(users.admins)}`, disabled > 0 && `禁用 ${formatCount(disabled)}`]
        .filter(Boolean)
        .join(" · "),
      to: "/users/user_list",
    },
    { label: "用户组", value: `${formatCount(groups)} 个`, to: "/users/group_list" },
    { label: "有效会话", value: `${formatCount(sessions)} 个`, to: "/logs/login_log?result=success" },
    {
      label: "登录失败",
      value: `${formatCount(failedLogins24h)} 次`,
      note: "24 小时内",
      to: failedLink(now),
    },
  ];
}

export function PortalPeople({ figures }: { figures: AdminFigures }) {
  return (
    <Panel title="用户与登录">
      <ul className={feed.feed} aria-label="用户与登录">
        {rowsOf(figures).map(({ label, value, note, to }) => (
          <li key={label}>
            <Link to={to} className={feed.row}>
              <span className={feed.words}>{label}</span>
              {note && <span className={feed.note}>{note}</span>}
              <b>{value}</b>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
