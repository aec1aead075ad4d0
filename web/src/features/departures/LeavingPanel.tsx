// The plan for one person: what they have, what happens to it, when, and the confirmation.
import { useQuery } from "@tanstack/react-query";
import { Alert, App, Button, Flex, Form, Radio, Skeleton } from "antd";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { diskUsageQuery } from "@/shared/api/disk-usage";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { FormAlert } from "@/shared/form/FormAlert";
import { formatSize } from "@/shared/lib/numbers";
import { shortTime } from "@/shared/lib/time";
import { PersonSelect } from "@/shared/list/PersonSelect";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { type Departure, type Holdings, holdingsQuery, useCancelDeparture, useStartDeparture } from "./api";
import styles from "./Departures.module.css";
import {
  type Choice,
  type Draft,
  decidedKinds,
  draftOf,
  emptyDraft,
  missingOf,
  planOf,
  summaryOf,
} from "./draft";
import { KindRow } from "./KindRow";
import { type PlannedKind, stateLooks } from "./words";

interface LeavingPanelProps {
  user: { id: number; username: string; name: string };
  /** The only one on the page: it then navigates to the progress. */
  alone: boolean;
}

export function LeavingPanel({ user, alone }: LeavingPanelProps) {
  const holdings = useQuery(holdingsQuery(user.id));
  const title = user.name && user.name !== user.username ? `${user.name} ${user.username}` : user.username;
  const { data, error, refetch } = holdings;
  return (
    <Panel title={title} padded refreshing={holdings.isFetching && data !== undefined}>
      {!data && !error && <Skeleton active title={false} aria-label="正在查看拥有的资源" />}
      {!data && error && (
        <ErrorPanel title="拥有的资源没有取到" error={error} onRetry={() => void refetch()} />
      )}
      {data && <Leaving key={data.departure?.id ?? "new"} holdings={data} alone={alone} />}
    </Panel>
  );
}

function Leaving({ holdings, alone }: { holdings: Holdings; alone: boolean }) {
  const { departure } = holdings;
  if (departure && departure.state !== "planned") return <UnderWay departure={departure} />;
  return <PlanForm holdings={holdings} alone={alone} />;
}

function UnderWay({ departure }: { departure: Departure }) {
  const { label } = stateLooks[departure.state];
  return (
    <Alert
      type={departure.state === "failed" ? "error" : "info"}
      showIcon
      title={`${departure.by} 已在办理：${label}，完成 ${departure.done} / ${departure.total} 项`}
      action={<Link to={`/users/departures?panel=detail&id=${departure.id}`}>查看进展</Link>}
    />
  );
}

function PlanForm({ holdings, alone }: { holdings: Holdings; alone: boolean }) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const { user, departure, endsAt } = holdings;
  const [draft, setDraft] = useState<Draft>(() => (departure ? draftOf(departure) : emptyDraft));
  const [when, setWhen] = useState<"now" | "at_end">(departure ? "at_end" : "now");
  const [asking, setAsking] = useState(false);
  const start = useStartDeparture();
  const later = when === "at_end";
  const plan = planOf(draft, holdings, later);
  const missing = missingOf(plan);

  const setKind = (kind: PlannedKind, choice: Choice) =>
    setDraft((old) => ({ ...old, kinds: { ...old.kinds, [kind]: choice } }));
  const setThing = (kind: PlannedKind, id: string, choice: Choice | null) =>
    setDraft((old) => {
      const { [id]: _, ...others } = old.exceptions;
      return { ...old, exceptions: choice ? { ...others, [id]: { kind, ...choice } } : others };
    });

  function submit() {
    start.mutate(
      { user: user.id, plan, when, stamp: holdings.stamp },
      {
        onSuccess: (one) => {
          message.success(
            later ? "已保存计划，账号到期时自动办理" : `已开始办理 ${user.username} 的离开`,
            1.5,
          );
          if (alone && !later) void navigate(`/users/departures?panel=detail&id=${one.id}`);
        },
        onSettled: () => setAsking(false),
      },
    );
  }

  return (
    <Flex vertical gap={16}>
      <FormAlert messages={start.error ? [start.error.message] : []} />
      {departure && <Planned departure={departure} />}
      <Form layout="vertical" component="div">
        <Form.Item label="接手的人" extra="下面没有单独选人的，都交给这个人" style={{ marginBottom: 0 }}>
          <PersonSelect
            label="接手的人"
            placeholder="搜索姓名或用户名"
            width={320}
            value={draft.receiver}
            onChange={(receiver) => setDraft((old) => ({ ...old, receiver }))}
          />
        </Form.Item>
      </Form>
      <ul className={styles.kinds} aria-label={`${user.username} 拥有的资源`}>
        {decidedKinds(holdings, later).map((kind) => (
          <HeldKind
            key={kind}
            kind={kind}
            holdings={holdings}
            draft={draft}
            onKind={(choice) => setKind(kind, choice)}
            onThing={(id, choice) => setThing(kind, id, choice)}
          />
        ))}
      </ul>
      <small>
        分享链接不能移交，办理个人文件夹时全部失效，需要继续分享的请接手的人重新分享
        {holdings.worksheets > 0 && `；${holdings.worksheets} 个没办完的工单会关闭`}
        。实例本身不能移交：里面挂着离开的人的个人文件夹，需要留下的环境请保存为镜像。
      </small>
      <Radio.Group
        aria-label="什么时候办理"
        value={when}
        onChange={(event) => setWhen(event.target.value)}
        options={[
          { value: "now", label: "现在" },
          {
            value: "at_end",
            label: endsAt ? `账号到期时（${shortTime(endsAt)}）` : "账号到期时（先在编辑用户里设置到期日）",
            disabled: !endsAt,
          },
        ]}
      />
      <span>
        <Button
          type="primary"
          danger={!later}
          disabled={missing !== undefined}
          title={missing}
          loading={start.isPending}
          onClick={() => (later ? submit() : setAsking(true))}
        >
          {later ? "保存计划" : "开始办理"}
        </Button>
        {missing && <small style={{ marginLeft: 8 }}>{missing}</small>}
      </span>
      <ConfirmDanger
        open={asking}
        title={`办理 ${user.username} 的离开？`}
        verb="开始办理"
        shortName={user.username}
        submitting={start.isPending}
        onConfirm={submit}
        onClose={() => setAsking(false)}
      >
        {user.name || user.username}{" "}
        会立即退出登录、不能再登录，运行中的实例会停止。各项办完后账号会被删除，不能恢复：
        <ul>
          {summaryOf(draft, holdings).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </ConfirmDanger>
    </Flex>
  );
}

interface HeldKindProps {
  kind: PlannedKind;
  holdings: Holdings;
  draft: Draft;
  onKind: (choice: Choice) => void;
  onThing: (id: string, choice: Choice | null) => void;
}

/** The disk itself reports the size of a home. */
function HeldKind(props: HeldKindProps) {
  const { username } = props.holdings.user;
  const settings = useQuery(publicSettingsQuery);
  const host = props.kind === "files" ? (settings.data?.storageHost ?? "") : "";
  const home = useQuery({ ...diskUsageQuery(host, `/home/${username}`), retry: false });
  if (props.kind !== "files") return <KindRow {...props} />;
  const size = home.data === undefined ? "" : `，${formatSize(home.data.used)}`;
  return <KindRow {...props} note={`网盘 home/${username}${size}`} />;
}

function Planned({ departure }: { departure: Departure }) {
  const { message } = App.useApp();
  const cancel = useCancelDeparture();
  return (
    <Alert
      type="info"
      showIcon
      title={`${departure.by} 已设置计划，账号到期时自动办理。可以修改，也可以改为现在办理`}
      action={
        <Button
          type="text"
          size="small"
          loading={cancel.isPending}
          onClick={() =>
            cancel.mutate(departure.id, {
              onSuccess: () => message.success("已取消计划", 1.5),
              onError: (error) => message.error(error.message, 2),
            })
          }
        >
          取消计划
        </Button>
      }
    />
  );
}
