// How a link looks in the columns of the management page and on a phone's card.
import type { ReactNode } from "react";
import { Link } from "react-router";
import { formatCount } from "@/shared/lib/numbers";
import type { DataColumn } from "@/shared/table/data-table";
import { Icon } from "@/shared/theme/Icon";
import { TimeText } from "@/shared/ui/TimeText";
import { filesAddress, shownName } from "../disk-paths";
import type { ShareLink } from "./api";
import { endText, lastingText } from "./expiry";
import { collectedText, visitsText } from "./link-words";
import styles from "./ShareCells.module.css";

export const pathOfShare = ({ path }: ShareLink) => shownName(path);

/** The path is a link for the user's own shares; another user's path begins at that user's root. */
function SharePath({ link, me }: { link: ShareLink; me: number }) {
  const path = pathOfShare(link);
  if (link.userID !== me)
    return (
      <span className={styles.path} title={path}>
        {path}
      </span>
    );
  return (
    <Link className={styles.path} title={path} to={filesAddress(link.path)}>
      {path}
    </Link>
  );
}

const Lasting = ({ expire }: ShareLink) => <span title={endText(expire)}>{lastingText(expire)}</span>;

const Purpose = ({ link }: { link: ShareLink }) => (
  <span title={collectedText(link)}>{link.collect ? "收集文件" : "查看和下载"}</span>
);

const PasswordMark = () => (
  <span className={styles.mark}>
    <Icon name="lock" size={14} /> 有
  </span>
);

export function shareColumns(me: number, admin: boolean): DataColumn<ShareLink>[] {
  const owner: DataColumn<ShareLink> = {
    key: "username",
    title: "所有者",
    render: ({ username }) => username ?? "",
  };
  return [
    { key: "path", title: "路径", always: true, render: (link) => <SharePath link={link} me={me} /> },
    { key: "collect", title: "用途", render: (link) => <Purpose link={link} /> },
    ...(admin ? [owner] : []),
    { key: "expire", title: "有效期", render: Lasting },
    { key: "password", title: "密码", render: ({ hasPassword }) => (hasPassword ? <PasswordMark /> : "无") },
    {
      key: "views",
      title: "浏览次数",
      align: "right",
      wide: true,
      render: ({ views }) => formatCount(views),
    },
    {
      key: "downloads",
      title: "下载次数",
      align: "right",
      wide: true,
      render: ({ downloads }) => formatCount(downloads),
    },
    {
      key: "lastVisit",
      title: "最近访问",
      wide: true,
      render: ({ lastVisit }) => <TimeText time={lastVisit} />,
    },
    { key: "created", title: "创建时间", wide: true, render: ({ created }) => <TimeText time={created} /> },
  ];
}

interface ShareCardProps {
  link: ShareLink;
  me: number;
  actions: ReactNode;
}

export function ShareCard({ link, me, actions }: ShareCardProps) {
  const facts = [
    lastingText(link.expire),
    link.hasPassword && "有密码",
    collectedText(link) ?? `下载 ${formatCount(link.downloads)} 次`,
    link.userID !== me && link.username,
    visitsText(link),
  ];
  return (
    <div>
      <SharePath link={link} me={me} />
      <div className={styles.facts}>{facts.filter(Boolean).join(" · ")}</div>
      {actions}
    </div>
  );
}
