// The bell: how many notices were not read, and the newest of them.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Flex, Popover } from "antd";
import { useRef, useState } from "react";
import { Link } from "react-router";
import { type Notice, noticesPage, noticesQuery, unreadQuery, useMarkNotices } from "@/shared/notices/api";
import { NoticeList } from "@/shared/notices/NoticeList";
import { latePart } from "@/shared/parts/late-part";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import styles from "./NoticesBell.module.css";
import bar from "./TopBar.module.css";

// Most notices have nothing to be done.
const NoticeActs = latePart(async () => (await import("@/shared/notices/NoticeActs")).NoticeActs);

/** As many as fit without scrolling far. */
const shown = 8;

/** The bell is not the last of its bar, so on a phone the panel is moved sideways until it fits. */
const intoView = { overflow: { adjustY: true, shiftX: true } };

export function NoticesBell() {
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const unread = useQuery(unreadQuery).data?.unread ?? 0;

  function change(next: boolean) {
    setOpen(next);
    // A popover leaves the keyboard nowhere when it closes.
    if (!next) trigger.current?.focus();
  }

  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      align={intoView}
      arrow={false}
      open={open}
      onOpenChange={change}
      destroyOnHidden
      styles={{ container: { padding: 0 } }}
      content={<Newest unread={unread} onLeave={() => setOpen(false)} />}
    >
      <button
        ref={trigger}
        type="button"
        className={bar.button}
        aria-label={unread > 0 ? `通知，${unread} 条未读` : "通知"}
        aria-haspopup="dialog"
        aria-expanded={open}
      >
        <Icon name="notice" />
        {unread > 0 && <span className={bar.dot}>{unread > 99 ? "99+" : unread}</span>}
      </button>
    </Popover>
  );
}

function Newest({ unread, onLeave }: { unread: number; onLeave: () => void }) {
  const { message } = App.useApp();
  const notices = useQuery(noticesQuery({ page: 1, size: shown }));
  const mark = useMarkNotices();
  const onError = (error: Error) => void message.error(error.message, 2);
  const retry = () => void notices.refetch();

  function leave(notice: Notice) {
    if (!notice.read) mark.mutate({ ids: [notice.id] }, { onError });
    onLeave();
  }

  return (
    <section className={styles.panel} aria-label="最近的通知" aria-busy={notices.isFetching}>
      <Flex className={styles.head} align="center" justify="space-between">
        <b>通知</b>
        <Button
          type="link"
          size="small"
          disabled={unread === 0}
          loading={mark.isPending}
          onClick={() => mark.mutate({ all: true }, { onError })}
        >
          全部标为已读
        </Button>
      </Flex>
      <div className={styles.scroll}>
        {notices.data ? (
          <>
            {notices.error && <RefreshFailed error={notices.error} onRetry={retry} />}
            {notices.data.items.length === 0 ? (
              <EmptyPanel icon="notice" text="没有通知" note="工单、实例有新情况时会在这里告诉你" />
            ) : (
              <NoticeList
                notices={notices.data.items}
                onOpen={leave}
                acts={(notice) => <NoticeActs notice={notice} />}
              />
            )}
          </>
        ) : notices.error ? (
          <ErrorPanel title="通知没有取到" error={notices.error} onRetry={retry} />
        ) : (
          <TableSkeleton rows={4} rowHeight={64} />
        )}
      </div>
      <Link to={noticesPage} className={styles.all} onClick={onLeave}>
        查看全部通知
      </Link>
    </section>
  );
}
