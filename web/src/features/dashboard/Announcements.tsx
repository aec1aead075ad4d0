// 公告: announcements for all users, edited here by administrators.
import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { Suspense, useState } from "react";
import { type Announcement, announcementsQuery } from "@/shared/api/announcements";
import { latePart } from "@/shared/parts/late-part";
import { RowActions } from "@/shared/table/RowActions";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./Announcements.module.css";
import { useDeleteAnnouncement } from "./api";
import feed from "./feed.module.css";

// Its calendar is large, and few people write.
const AnnouncementDrawer = latePart(
  async () => (await import("./AnnouncementDrawer")).AnnouncementDrawer,
  "aside",
);

export function Announcements({ admin }: { admin: boolean }) {
  const { data, error, refetch } = useQuery(announcementsQuery(admin));
  const { message } = App.useApp();
  const remove = useDeleteAnnouncement();
  const [written, setWritten] = useState<{ one: Announcement | null; opening: number }>();
  const [writing, setWriting] = useState(false);
  const [deleting, setDeleting] = useState<Announcement | null>(null);
  const retry = () => void refetch();

  function write(one: Announcement | null) {
    setWritten({ one, opening: (written?.opening ?? 0) + 1 });
    setWriting(true);
  }

  // Hidden without announcements, except for administrators, who can write one.
  if (!admin && data?.items.length === 0) return null;
  const extra = admin && (
    <Button size="small" icon={<Icon name="plus" size={14} />} onClick={() => write(null)}>
      发公告
    </Button>
  );
  return (
    <Panel title="公告" extra={extra}>
      {!data && error && <ErrorPanel title="公告没有取到" error={error} onRetry={retry} />}
      {!data && !error && <TableSkeleton rows={1} rowHeight={48} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data?.items.length === 0 && <EmptyPanel icon="announce" text="没有公告" />}
      {data && data.items.length > 0 && (
        <ul className={feed.feed}>
          {data.items.map((one) => (
            <li key={one.id} className={feed.row}>
              <Icon
                name={one.important ? "alert" : "announce"}
                className={one.important ? feed.fault : undefined}
              />
              <div className={feed.words}>
                <b>{one.title}</b>
                {one.content && <p className={styles.content}>{one.content}</p>}
                <div className={feed.note}>
                  {one.author} · <TimeText time={one.created} />
                  <Ends until={one.until} />
                </div>
              </div>
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
      <ConfirmDanger
        open={deleting !== null}
        title={`删除公告“${deleting?.title ?? ""}”？`}
        verb="删除"
        submitting={remove.isPending}
        onClose={() => setDeleting(null)}
        onConfirm={() =>
          remove.mutate(deleting?.id ?? "", {
            onSuccess: () => {
              message.success("公告已删除", 1.5);
              setDeleting(null);
            },
            onError: (failure) => message.error(failure.message, 2),
          })
        }
      >
        所有人的首页上都不再显示它，不能恢复。
      </ConfirmDanger>
    </Panel>
  );
}

function Ends({ until }: { until: string | null | undefined }) {
  if (!until) return null;
  if (new Date(until).getTime() <= Date.now())
    return <span className={styles.over}> · 已结束，只有管理员看得到</span>;
  return (
    <>
      {" "}
      · 到 <TimeText time={until} full />
    </>
  );
}
