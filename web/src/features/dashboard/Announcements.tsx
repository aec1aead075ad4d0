// 公告: the announcements that were read, folded to their titles; administrators write and edit them here.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { Suspense, useState } from "react";
import { type Announcement, announcementsQuery } from "@/shared/api/announcements";
import { latePart } from "@/shared/parts/late-part";
import { RowActions } from "@/shared/table/RowActions";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./Announcements.module.css";
import { isOver } from "./announcement-end";
import { useDeleteAnnouncement } from "./api";
import feed from "./feed.module.css";
import type { ReadAnnouncements } from "./read-announcements";

// Its calendar is large, and few people write.
const AnnouncementDrawer = latePart(
  async () => (await import("./AnnouncementDrawer")).AnnouncementDrawer,
  "aside",
);

interface AnnouncementsProps {
  admin: boolean;
  reading: ReadAnnouncements;
}

export function Announcements({ admin, reading }: AnnouncementsProps) {
  const { data, error, refetch } = useQuery(announcementsQuery(admin));
  const [written, setWritten] = useState<{ one: Announcement | null; opening: number }>();
  const [writing, setWriting] = useState(false);
  const [deleting, setDeleting] = useState<Announcement | null>(null);
  const retry = () => void refetch();
  // Unread ones stand above everything else.
  const folded = data?.items.filter((one) => reading.isRead(one) || isOver(one)) ?? [];

  function write(one: Announcement | null) {
    setWritten({ one, opening: (written?.opening ?? 0) + 1 });
    setWriting(true);
  }

  // Hidden without announcements, except for administrators, who can write one.
  if (!admin && data && folded.length === 0) return null;
  const extra = admin && (
    <Button size="small" icon={<Icon name="plus" size={14} />} onClick={() => write(null)}>
      发公告
    </Button>
  );
  return (
    <Panel title="公告" extra={extra}>
      {!data && error && <ErrorPanel title="公告没有取到" error={error} onRetry={retry} />}
      {!data && !error && <TableSkeleton rows={1} rowHeight={40} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data?.items.length === 0 && <p className={feed.none}>没有公告</p>}
      {data && data.items.length > 0 && folded.length === 0 && <p className={feed.none}>没有已读的公告</p>}
      {folded.length > 0 && (
        <ul className={feed.feed}>
          {folded.map((one) => (
            <li key={one.id} className={styles.folded}>
              <details>
                <summary>
                  {one.important && <Icon name="alert" className={styles.important} />}
                  <span className={styles.title}>{one.title}</span>
                  <small>
                    <TimeText time={one.created} />
                  </small>
                </summary>
                {one.content && <p className={styles.content}>{one.content}</p>}
                <div className={feed.note}>
                  {one.author}
                  {one.until && !isOver(one) && (
                    <>
                      {" "}
                      · 到 <TimeText time={one.until} full />
                    </>
                  )}
                </div>
              </details>
              {isOver(one) && <span className={styles.over}>已结束，只有管理员看得到</span>}
              {admin && (
                <RowActions
                  name={one.title}
                  more={[
                    { key: "edit", label: "编辑", onClick: () => write(one) },
                    { key: "delete", label: "删除", danger: true, onClick: () => setDeleting(one) },
                  ]}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {written && (
        <Suspense>
          <AnnouncementDrawer
            key={written.opening}
            open={writing}
            one={written.one}
            onClose={() => setWriting(false)}
          />
        </Suspense>
      )}
      <DeleteAnnouncement one={deleting} onClose={() => setDeleting(null)} />
    </Panel>
  );
}

function DeleteAnnouncement({ one, onClose }: { one: Announcement | null; onClose: () => void }) {
  const { message } = App.useApp();
  const remove = useDeleteAnnouncement();
  return (
    <ConfirmDanger
      open={one !== null}
      title={`删除公告“${one?.title ?? ""}”？`}
      verb="删除"
      submitting={remove.isPending}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(one?.id ?? "", {
          onSuccess: () => {
            message.success("公告已删除", 1.5);
            onClose();
          },
          onError: (failure) => message.error(failure.message, 2),
        })
      }
    >
      所有人的首页上都不再显示它，不能恢复。
    </ConfirmDanger>
  );
}
