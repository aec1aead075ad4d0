// 通知: all notices of the user, the latest first.
import { useQuery } from "@tanstack/react-query";
import { App, Button, ConfigProvider, Segmented } from "antd";
import { Link } from "react-router";
import { useListParams } from "@/shared/list/use-list-params";
import { type Notice, noticesQuery, useClearNotices, useMarkNotices } from "@/shared/notices/api";
import { NoticeList } from "@/shared/notices/NoticeList";
import { TableFoot } from "@/shared/table/TableFoot";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { usePhone } from "@/shared/ui/usePhone";
import styles from "./NoticesPage.module.css";

const filters = ["unread"] as const;

export default function NoticesPage() {
  const phone = usePhone();
  const { message } = App.useApp();
  const list = useListParams({ sort: "created", order: "desc", filters });
  const onlyUnread = list.filters.unread === "true";
  const notices = useQuery(
    noticesQuery({ page: list.page, size: list.size, ...(onlyUnread && { unread: true }) }),
  );
  const mark = useMarkNotices();
  const clear = useClearNotices();
  const { data, error } = notices;
  const onError = (failure: Error) => void message.error(failure.message, 2);
  const retry = () => void notices.refetch();
  const open = (notice: Notice) => {
    if (!notice.read) mark.mutate({ ids: [notice.id] }, { onError });
  };
  return (
    <>
      <PageHeader
        title="通知"
        meta={data && (data.unread > 0 ? `${data.unread.toLocaleString("zh-CN")} 条未读` : "都已读")}
        actions={
          <>
            <Button loading={clear.isPending} onClick={() => clear.mutate(undefined, { onError })}>
              清除已读
            </Button>
            <Button
              type="primary"
              disabled={data?.unread === 0}
              loading={mark.isPending}
              onClick={() => mark.mutate({ all: true }, { onError })}
            >
              全部标为已读
            </Button>
          </>
        }
      />
      <ConfigProvider componentSize={phone ? "large" : undefined}>
        <Panel label="通知" refreshing={notices.isFetching && data !== undefined}>
          <div className={styles.tools}>
            <Segmented
              aria-label="显示"
              value={onlyUnread ? "unread" : "all"}
              options={[
                { value: "all", label: "全部" },
                { value: "unread", label: "未读" },
              ]}
              onChange={(shown) => list.setFilters({ unread: shown === "unread" ? "true" : undefined })}
            />
            <Link to="/profile/detail">邮件提醒设置</Link>
          </div>
          {data && error && <RefreshFailed error={error} onRetry={retry} />}
          {!data && error && <ErrorPanel title="通知没有取到" error={error} onRetry={retry} />}
          {!data && !error && <TableSkeleton rows={6} rowHeight={72} />}
          {data?.items.length === 0 &&
            (data.total > 0 ? (
              <EmptyPanel
                icon="notice"
                text="这一页没有内容了"
                action={<Button onClick={() => list.setPage(1)}>回到第 1 页</Button>}
              />
            ) : (
              <EmptyPanel
                icon="notice"
                text={onlyUnread ? "没有未读的通知" : "没有通知"}
                note="工单、实例有新情况时会在这里告诉你"
                action={onlyUnread && <Button onClick={list.reset}>显示全部</Button>}
              />
            ))}
          {data && data.items.length > 0 && <NoticeList notices={data.items} onOpen={open} />}
          {data && <TableFoot total={data.total} unit="条" list={list} />}
        </Panel>
      </ConfigProvider>
    </>
  );
}
