// Notices as rows that link to their objects; unread ones are marked.
import { Badge } from "antd";
import { Link } from "react-router";
import { Icon } from "@/shared/theme/Icon";
import { TimeText } from "@/shared/ui/TimeText";
import { type Notice, pageOf } from "./api";
import styles from "./NoticeList.module.css";
import { kindLooks } from "./words";

interface NoticeListProps {
  notices: readonly Notice[];
  /** Before the page with the object opens. */
  onOpen: (notice: Notice) => void;
}

export function NoticeList({ notices, onOpen }: NoticeListProps) {
  return (
    <ul className={styles.rows} aria-label="通知列表">
      {notices.map((notice) => (
        <li key={notice.id}>
          <Link
            to={pageOf(notice)}
            className={notice.read ? styles.row : `${styles.row} ${styles.unread}`}
            onClick={() => onOpen(notice)}
          >
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
        </li>
      ))}
    </ul>
  );
}
