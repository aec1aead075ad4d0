// 服务器健康, for administrators: a row a server with its cards and how full it is; those that need attention first.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { allServersQuery, type ServerView } from "@/shared/compute/api";
import { countsOf } from "@/shared/compute/counts";
import { GpuLegend, GpuSquares } from "@/shared/compute/GpuSquares";
import { links } from "@/shared/compute/links";
import { cpuShare, diskShare, memoryShare, type Share } from "@/shared/compute/machine-use";
import { serverLook } from "@/shared/compute/server-state";
import { modelsText } from "@/shared/compute/text";
import { LinkButton } from "@/shared/frame/LinkButton";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Meter } from "@/shared/ui/Meter";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { StateText } from "@/shared/ui/StateText";
import { UpdatedAgo } from "@/shared/ui/UpdatedAgo";
import { usePhone } from "@/shared/ui/usePhone";
import feed from "./feed.module.css";
import styles from "./ServerHealth.module.css";
import { byNeed, troublesOf, warmthOf } from "./server-health";

/** As many as a first page can show at a glance. */
const SHOWN = 12;
const SHOWN_ON_PHONE = 4;

const bars = [
  { title: "CPU", share: cpuShare },
  { title: "内存", share: memoryShare },
  { title: "磁盘", share: diskShare },
] as const;

export function ServerHealth() {
  const servers = useQuery(allServersQuery);
  const { data, error, dataUpdatedAt } = servers;
  const phone = usePhone();
  const retry = () => void servers.refetch();
  const most = phone ? SHOWN_ON_PHONE : SHOWN;
  const shown = data?.items.toSorted(byNeed).slice(0, most) ?? [];
  return (
    <Panel
      title="服务器健康"
      extra={
        <>
          <span className={styles.meta}>{data && !phone && sumText(data.items)}</span>
          {data && <UpdatedAgo at={dataUpdatedAt} />}
          {!phone && (
            <Link to={links.manage} className={feed.more}>
              服务器管理
            </Link>
          )}
        </>
      }
    >
      {!data && error && <ErrorPanel title="服务器没有取到" error={error} onRetry={retry} />}
      {!data && !error && <TableSkeleton rows={6} rowHeight={38} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data?.items.length === 0 && (
        <EmptyPanel
          icon="gpu"
          text="还没有服务器"
          action={<LinkButton to="/servers/server_join">添加服务器</LinkButton>}
        />
      )}
      {shown.length > 0 &&
        (phone ? (
          <ul aria-label="服务器健康">
            {shown.map((server) => (
              <HealthCard key={server.id} server={server} />
            ))}
          </ul>
        ) : (
          <HealthTable servers={shown} />
        ))}
      {data && data.items.length > (phone ? most : 0) && (
        <div className={styles.foot}>
          {!phone && <GpuLegend />}
          {data.items.length > most && (
            <Link to={links.servers} className={feed.more}>
              全部 {data.items.length} 台服务器
            </Link>
          )}
        </div>
      )}
    </Panel>
  );
}

function sumText(servers: readonly ServerView[]): string {
  const { used, gpus } = countsOf(servers);
  const online = servers.filter(({ state }) => state === "online").length;
  return `在线 ${online} / ${servers.length} 台 · 在用 ${used} / ${gpus} 张卡`;
}

function HealthTable({ servers }: { servers: readonly ServerView[] }) {
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label="服务器健康">
        <thead>
          <tr>
            <th scope="col">服务器</th>
            <th scope="col">状态</th>
            <th scope="col">显卡</th>
            {bars.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            <th scope="col">卡温</th>
            <th scope="col">检查</th>
          </tr>
        </thead>
        <tbody>
          {servers.map((server) => (
            <tr key={server.id}>
              <th scope="row" className={styles.name}>
                <Link to={links.server(server.id)} title={modelsText(server.gpus)}>
                  {server.name}
                </Link>
                <small>{modelsText(server.gpus)}</small>
              </th>
              <td>
                <HealthState server={server} />
              </td>
              <td className={styles.squares}>
                <GpuSquares gpus={server.gpus} server={server} />
              </td>
              {bars.map(({ title, share }) => (
                <td key={title} className={styles.bar}>
                  <Bar server={server} title={title} share={share(server)} />
                </td>
              ))}
              <td>{warmthOf(server) || "—"}</td>
              <td>
                <Trouble server={server} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HealthCard({ server }: { server: ServerView }) {
  return (
    <li className={styles.card}>
      <div className={styles.cardHead}>
        <Link to={links.server(server.id)}>{server.name}</Link>
        <small>{modelsText(server.gpus)}</small>
        <HealthState server={server} />
      </div>
      <GpuSquares gpus={server.gpus} server={server} />
      <div className={styles.cardBars}>
        {bars.map(({ title, share }) => (
          <span key={title}>
            {title}
            <Bar server={server} title={title} share={share(server)} />
          </span>
        ))}
      </div>
      <Trouble server={server} />
    </li>
  );
}

function HealthState({ server }: { server: ServerView }) {
  const { label, icon, tone, note } = serverLook(server);
  return (
    <span title={note}>
      <StateText icon={icon} tone={tone}>
        {label}
      </StateText>
    </span>
  );
}

interface BarProps {
  server: ServerView;
  title: string;
  share: Share | undefined;
}

/** What a machine that does not answer last reported is not how it is. */
function Bar({ server, title, share }: BarProps) {
  if (!share || server.state !== "online") return <span className={styles.unknown}>未知</span>;
  const percent = Math.round((share.used / share.total) * 100);
  return (
    <span className={styles.share} title={share.text}>
      <Meter thin alarm label={`${server.name} 的${title}`} used={share.used} limit={share.total} />
      <span className={percent >= 90 ? styles.full : undefined}>{percent}%</span>
    </span>
  );
}

function Trouble({ server }: { server: ServerView }) {
  const troubles = troublesOf(server);
  if (troubles.length > 0) {
    return (
      <StateText icon="alert" tone="error">
        {troubles.join("，")}
      </StateText>
    );
  }
  const note = server.state === "online" ? undefined : serverLook(server).note;
  return <span className={styles.quiet}>{note ?? `${server.runningInstances} 个实例`}</span>;
}
