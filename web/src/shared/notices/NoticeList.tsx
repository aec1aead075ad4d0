// Notices as rows that link to their objects; unread ones are marked. Below a row is what can be done about it.
import { Badge, Button, Tooltip } from "antd";
import { type ReactNode, Suspense } from "react";
import { Link } from "react-router";
import { Icon } from "@/shared/theme/Icon";
import { TimeText } from "@/shared/ui/TimeText";
import { type Notice, pageOf } from "./api";
import { newestOfEach } from "./days";
import styles from "./NoticeList.module.css";
import { kindLooks } from "./words";

interface NoticeListProps {
  notices: readonly Notice[];
  /** Says more than that these are notices, such as the day. */
  label?: string;
  /** Before the page with the object opens. */
  onOpen: (notice: Notice) => void;
  /** Without the page: for later, or as done. */
  onMark?: (notice: Notice) => void;
  /** What can be done about the newest notice of each thing. */
  acts?: (notice: Notice) => ReactNode;
}

export function NoticeList({ notices, label = "通知列表", onOpen, onMark, acts }: NoticeListProps) {
  const newest = newestOfEach(notices);
  return (
    <ul className={styles.rows} aria-label={label}>
      {notices.map((notice) => (
        <li key={notice.id} className={notice.read ? styles.entry : `${styles.entry} ${styles.unread}`}>
          <Link to={pageOf(notice)} className={styles.row} onClick={() => onOpen(notice)}>
            <Icon name={kindLooks[notice.kind].icon} className={styles.icon} />
            <span className={styles.words}>
              <span className={styles.title}>
                {!notice.read && (
                  <>
                    <Badge status="processing" className={styles.mark ?? ""} />
                    <span className={styles.hidden}>未读：</span>
                  </>
                )}
                {notice.title}
              </span>
              <span className={styles.text}>{notice.words}</span>
              <small className={styles.time}>
                <TimeText time={notice.created} />
              </small>
            </span>
          </Link>
          {onMark && <MarkButton notice={notice} onMark={onMark} />}
          {acts && newest.has(notice.id) && (
            <div className={styles.acts}>
              <Suspense>{acts(notice)}</Suspense>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function MarkButton({ notice, onMark }: { notice: Notice; onMark: (notice: Notice) => void }) {
  const label = notice.read ? "标为未读" : "标为已读";
  return (
    <Tooltip title={label}>
      <Button
        type="text"
        className={styles.button ?? ""}
        icon={<Icon name={notice.read ? "mail" : "check"} size={14} />}
        aria-label={`${label}：${notice.title}`}
        onClick={() => onMark(notice)}
      />
    </Tooltip>
  );
}
