// Servers with their cards, those with free ones first; the rest is on the servers' page.
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { ServerView } from "@/shared/compute/api";
import { GpuSquares } from "@/shared/compute/GpuSquares";
import { freeOf } from "@/shared/compute/gpu-look";
import { links } from "@/shared/compute/links";
import { serverLook, whyClosed } from "@/shared/compute/server-state";
import { modelsText } from "@/shared/compute/text";
import { LinkButton } from "@/shared/frame/LinkButton";
import { StateText } from "@/shared/ui/StateText";
import feed from "./feed.module.css";
import styles from "./Servers.module.css";

interface ServerRowsProps {
  label: string;
  servers: readonly ServerView[];
  /** As many as a first page can show at a glance. */
  most: number;
  /** At the right of each. */
  action?: (server: ServerView) => ReactNode;
}

export function ServerRows({ label, servers, most, action }: ServerRowsProps) {
  return (
    <>
      <ul aria-label={label}>
        {servers.slice(0, most).map((server) => {
          const { label: state, icon, tone, note } = serverLook(server);
          return (
            <li key={server.id} className={styles.row}>
              <span className={styles.name}>
                <Link to={links.server(server.id)}>{server.name}</Link>
                <small>{modelsText(server.gpus)}</small>
              </span>
              <span title={note}>
                <StateText icon={icon} tone={tone}>
                  {state}
                </StateText>
                {note && <small className={styles.note}>{note}</small>}
              </span>
              <GpuSquares gpus={server.gpus} server={server} />
              <span className={styles.free}>
                {server.state === "online" && server.gpus.length > 0 && (
                  <>
                    <b>{freeOf(server).length}</b> / {server.gpus.length} 空闲
                  </>
                )}
              </span>
              <span>{action?.(server)}</span>
            </li>
          );
        })}
      </ul>
      {servers.length > most && (
        <div className={styles.foot}>
          <Link to={links.servers} className={feed.more}>
            全部 {servers.length} 台服务器
          </Link>
        </div>
      )}
    </>
  );
}

export function CreateOn({ server }: { server: ServerView }) {
  const closed = whyClosed(server);
  return (
    <LinkButton
      to={links.create({ server: server.id })}
      size="small"
      disabled={closed !== undefined}
      {...(closed && { title: closed })}
      aria-label={`在 ${server.name} 创建实例`}
    >
      创建
    </LinkButton>
  );
}
