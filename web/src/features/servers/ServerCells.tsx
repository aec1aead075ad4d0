// How a server looks in the table's columns and on a phone's card.
import { Link } from "react-router";
import type { ServerView } from "@/shared/compute/api";
import { GpuSquares } from "@/shared/compute/GpuSquares";
import { freeOf } from "@/shared/compute/gpu-look";
import { links } from "@/shared/compute/links";
import { cpuShare, diskShare, memoryShare, percentsText, type Share } from "@/shared/compute/machine-use";
import { ShareCell } from "@/shared/compute/ShareCell";
import { serverLook, whyClosed } from "@/shared/compute/server-state";
import { coresText, memoryText, modelsText } from "@/shared/compute/text";
import { LinkButton } from "@/shared/frame/LinkButton";
import type { DataColumn } from "@/shared/table/data-table";
import { StateText } from "@/shared/ui/StateText";
import styles from "./ServerCells.module.css";

export function ServerName({ server }: { server: ServerView }) {
  const facts = [
    server.publicHost,
    server.facts?.driverVersion && `驱动 ${server.facts.driverVersion}`,
    server.local && "本机",
  ];
  return (
    <span className={styles.words}>
      <span>
        <Link to={links.server(server.id)} className={styles.name}>
          {server.name}
        </Link>
        {server.gpus.length > 0 && <span className={styles.models}> · {modelsText(server.gpus)}</span>}
      </span>
      <small>{facts.filter(Boolean).join(" · ")}</small>
    </span>
  );
}

export function ServerState({ server }: { server: ServerView }) {
  const { label, icon, tone, note } = serverLook(server);
  return (
    <span className={styles.words}>
      <StateText icon={icon} tone={tone}>
        {label}
      </StateText>
      {note && <small title={note}>{note}</small>}
    </span>
  );
}

function FreeCount({ server }: { server: ServerView }) {
  if (server.state !== "online" || server.gpus.length === 0) return "—";
  return (
    <>
      <b>{freeOf(server).length}</b> / {server.gpus.length}
    </>
  );
}

/** How many run there, and how many of the asking person hold a card. */
function Instances({ server }: { server: ServerView }) {
  const mine = new Set(server.gpus.flatMap(({ lease }) => (lease?.mine ? [lease.instance] : []))).size;
  return (
    <span className={styles.words}>
      <span>{server.runningInstances} 个</span>
      {mine > 0 && <small className={styles.mine}>我的 {mine}</small>}
    </span>
  );
}

export function CreateHere({ server, large = false }: { server: ServerView; large?: boolean }) {
  const closed = whyClosed(server);
  return (
    <LinkButton
      to={links.create({ server: server.id })}
      size={large ? "medium" : "small"}
      disabled={closed !== undefined}
      {...(closed && { title: closed })}
      aria-label={`在 ${server.name} 创建实例`}
    >
      创建实例
    </LinkButton>
  );
}

interface PartProps {
  share: Share | undefined;
  /** The total, shown while the use is unknown. */
  total?: string | null | undefined;
}

function Part({ share, total }: PartProps) {
  if (share) return <ShareCell share={share} />;
  return <span className={styles.unknown}>{total || "未知"}</span>;
}

export const serverColumns: readonly DataColumn<ServerView>[] = [
  {
    key: "name",
    title: "服务器",
    sort: "name",
    always: true,
    render: (server) => <ServerName server={server} />,
  },
  { key: "state", title: "状态", render: (server) => <ServerState server={server} /> },
  {
    key: "gpus",
    title: "显卡（高度为利用率）",
    always: true,
    render: (server) => (
      <div className={styles.gpus}>
        <GpuSquares gpus={server.gpus} server={server} />
      </div>
    ),
  },
  {
    key: "free",
    title: "空闲",
    sort: "free",
    align: "right",
    render: (server) => <FreeCount server={server} />,
  },
  {
    key: "cpu",
    title: "CPU",
    sort: "cpu",
    align: "right",
    wide: true,
    render: (server) => (
      <Part share={cpuShare(server)} total={server.facts && coresText(server.facts.cpuTotal)} />
    ),
  },
  {
    key: "memory",
    title: "内存",
    sort: "memory",
    align: "right",
    wide: true,
    render: (server) => (
      <Part share={memoryShare(server)} total={server.facts && memoryText(server.facts.memoryTotal)} />
    ),
  },
  {
    key: "disk",
    title: "磁盘",
    align: "right",
    wide: true,
    render: (server) => <Part share={diskShare(server)} />,
  },
  {
    key: "instances",
    title: "运行实例",
    sort: "instances",
    align: "right",
    render: (server) => <Instances server={server} />,
  },
  {
    key: "actions",
    title: "操作",
    align: "right",
    always: true,
    render: (server) => <CreateHere server={server} />,
  },
];

export function ServerCard({ server }: { server: ServerView }) {
  return (
    <div className={styles.card}>
      <div className={styles.cardHead}>
        <ServerName server={server} />
        <ServerState server={server} />
      </div>
      <GpuSquares gpus={server.gpus} server={server} />
      <small className={styles.unknown}>{percentsText(server)}</small>
      <div className={styles.cardFoot}>
        <span className={styles.cardCount}>
          运行实例 <Instances server={server} />
        </span>
        <CreateHere server={server} large />
      </div>
    </div>
  );
}
