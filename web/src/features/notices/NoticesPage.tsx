// 通知: all notices of the user by day, the latest first; by group, and with what can be done about each.
import { useQuery } from "@tanstack/react-query";
import { App, Button, ConfigProvider, Segmented } from "antd";
import { Link } from "react-router";
import { useListParams } from "@/shared/list/use-list-params";
import {
  type Notice,
  type NoticeGroup,
  type NoticeMark,
  noticesQuery,
  useClearNotices,
  useMarkNotices,
} from "@/shared/notices/api";
import { daysOf } from "@/shared/notices/days";
import { NoticeActs } from "@/shared/notices/NoticeActs";
import { NoticeList } from "@/shared/notices/NoticeList";
import { groupLabels, isGroup } from "@/shared/notices/words";
import { TableFoot } from "@/shared/table/TableFoot";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { usePhone } from "@/shared/ui/usePhone";
import { BrowserNoticesSwitch } from "./BrowserNoticesSwitch";
import { GroupFilter } from "./GroupFilter";
import styles from "./NoticesPage.module.css";
import { isAnswerable, OrderActs } from "./OrderActs";

const filters = ["unread", "group"] as const;

export default function NoticesPage() {
  const phone = usePhone();
  const { message } = App.useApp();
  const list = useListParams({ sort: "created", order: "desc", filters });
  const onlyUnread = list.filters.unread === "true";
  const group = isGroup(list.filters.group) ? list.filters.group : undefined;
  const notices = useQuery(
    noticesQuery({
      page: list.page,
      size: list.size,
      ...(onlyUnread && { unread: true }),
      ...(group && { group }),
    }),
  );
  const mark = useMarkNotices();
  const clear = useClearNotices();
  const { data, error } = notices;
  const retry = () => void notices.refetch();
  const unread = (group ? data?.groups.find((one) => one.group === group)?.unread : data?.unread) ?? 0;
  const onError = (failure: Error) => void message.error(failure.message, 2);
  const markAs = (body: NoticeMark) => mark.mutate(body, { onError });
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
              disabled={data !== undefined && unread === 0}
              loading={mark.isPending && "all" in mark.variables}
              onClick={() => markAs({ all: true, ...(group && { group }) })}
            >
              {group ? `${groupLabels[group]}标为已读` : "全部标为已读"}
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
            <GroupFilter
              counts={data?.groups ?? []}
              chosen={group}
              onChoose={(chosen) => list.setFilters({ group: chosen })}
            />
            <BrowserNoticesSwitch />
            <Link to="/profile/detail">邮件提醒设置</Link>
          </div>
          {data && error && <RefreshFailed error={error} onRetry={retry} />}
          {!data && error && <ErrorPanel title="通知没有取到" error={error} onRetry={retry} />}
          {!data && !error && <TableSkeleton rows={6} rowHeight={72} />}
          {data?.items.length === 0 && (
            <Nothing
              pageOnly={data.total > 0}
              {...{ onlyUnread, group }}
              onFirstPage={() => list.setPage(1)}
              onAll={list.reset}
            />
          )}
          {data && data.items.length > 0 && <Days notices={data.items} onMark={markAs} />}
          {data && <TableFoot total={data.total} unit="条" list={list} />}
        </Panel>
      </ConfigProvider>
    </>
  );
}

function Days({ notices, onMark }: { notices: readonly Notice[]; onMark: (mark: NoticeMark) => void }) {
  const read = (notice: Notice) => {
    if (!notice.read) onMark({ ids: [notice.id] });
  };
  const turn = (notice: Notice) => onMark({ ids: [notice.id], unread: notice.read !== null });
  const acts = (notice: Notice) =>
    isAnswerable(notice) ? (
      <OrderActs notice={notice} onDone={() => read(notice)} />
    ) : (
      <NoticeActs notice={notice} />
    );
  return daysOf(notices).map(({ title, notices: ofDay }) => (
    <section key={title} aria-label={title}>
      <h2 className={styles.day}>{title}</h2>
      <NoticeList notices={ofDay} label={`通知列表，${title}`} onOpen={read} onMark={turn} acts={acts} />
    </section>
  ));
}

interface NothingProps {
  /** Other pages have some. */
  pageOnly: boolean;
  onlyUnread: boolean;
  group: NoticeGroup | undefined;
  onFirstPage: () => void;
  onAll: () => void;
}

function Nothing({ pageOnly, onlyUnread, group, onFirstPage, onAll }: NothingProps) {
  if (pageOnly)
    return (
      <EmptyPanel
        icon="notice"
        text="这一页没有内容了"
        action={<Button onClick={onFirstPage}>回到第 1 页</Button>}
      />
    );
  const what = group ? `${groupLabels[group]}通知` : "通知";
  return (
    <EmptyPanel
      icon="notice"
      text={onlyUnread ? `没有未读的${what}` : `没有${what}`}
      note="工单、实例有新情况时会在这里告诉你"
      action={(onlyUnread || group) && <Button onClick={onAll}>显示全部</Button>}
    />
  );
}
