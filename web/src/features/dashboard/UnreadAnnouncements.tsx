// Announcements that the user has not read yet, above everything else, until 知道了.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { announcementsQuery } from "@/shared/api/announcements";
import { Icon } from "@/shared/theme/Icon";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./Announcements.module.css";
import { isOver } from "./announcement-end";
import type { ReadAnnouncements } from "./read-announcements";

interface UnreadAnnouncementsProps {
  admin: boolean;
  reading: ReadAnnouncements;
}

export function UnreadAnnouncements({ admin, reading }: UnreadAnnouncementsProps) {
  const { data } = useQuery(announcementsQuery(admin));
  const unread = data?.items.filter((one) => !reading.isRead(one) && !isOver(one)) ?? [];
  if (unread.length === 0) return null;
  return (
    <Panel label="未读公告">
      <ul className={styles.unread}>
        {unread.map((one) => (
          <li key={one.id}>
            <Icon
              name={one.important ? "alert" : "announce"}
              className={one.important ? styles.important : styles.icon}
            />
            <div className={styles.words}>
              <b>{one.title}</b>
              <small>
                {one.author} · <TimeText time={one.created} />
              </small>
              {one.content && <p className={styles.content}>{one.content}</p>}
            </div>
            <Button size="small" aria-label={`知道了：${one.title}`} onClick={() => reading.markRead([one])}>
              知道了
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
