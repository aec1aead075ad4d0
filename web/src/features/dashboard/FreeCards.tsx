// 空闲卡: how many cards of each model are free, then the servers where the user could start right now.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { allServersQuery, type ServerView } from "@/shared/compute/api";
import { freeOf } from "@/shared/compute/gpu-look";
import { shortModel } from "@/shared/compute/gpu-model";
import { links } from "@/shared/compute/links";
import { LinkButton } from "@/shared/frame/LinkButton";
import { worksheetLinks } from "@/shared/worksheets/api";
import styles from "./FreeCards.module.css";
import { CreateOn } from "./ServerRows";
import { ServersPanel } from "./ServersPanel";

interface FreeModel {
  /** As people say it. */
  name: string;
  /** As the servers report it, by which their list is filtered. */
  model: string;
  free: number;
  total: number;
}

/** Models with the most free cards first; the name decides between equals. */
export function freeByModel(servers: readonly ServerView[]): FreeModel[] {
  const models = new Map<string, FreeModel>();
  for (const server of servers) {
    const free = new Set(freeOf(server).map(({ id }) => id));
    for (const gpu of server.gpus) {
      const name = shortModel(gpu);
      const known = models.get(name) ?? { name, model: gpu.model, free: 0, total: 0 };
      models.set(name, { ...known, free: known.free + (free.has(gpu.id) ? 1 : 0), total: known.total + 1 });
    }
  }
  return [...models.values()].toSorted((a, b) => b.free - a.free || a.name.localeCompare(b.name, "zh-CN"));
}

function Models() {
  const servers = useQuery(allServersQuery).data?.items ?? [];
  const models = freeByModel(servers);
  if (models.length === 0) return null;
  return (
    <ul className={styles.models} aria-label="各型号空闲卡">
      {models.map(({ name, model, free, total }) => (
        <li key={name}>
          <Link
            to={`${links.servers}?${new URLSearchParams({ model, free: "true" }).toString()}`}
            className={free > 0 ? styles.model : `${styles.model} ${styles.none}`}
          >
            <span>{name}</span>
            <span>
              空闲 <b>{free}</b> / {total}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function FreeCards() {
  return (
    <ServersPanel
      title="空闲卡"
      none="还没有分配给你的服务器"
      noneAction={<LinkButton to={worksheetLinks.ask("cards")}>申请显卡</LinkButton>}
      sum={(servers) => {
        const cards = servers.reduce((sum, { gpus }) => sum + gpus.length, 0);
        const free = servers.reduce((sum, server) => sum + freeOf(server).length, 0);
        return `${cards} 张中 ${free} 张空闲`;
      }}
      above={<Models />}
      // A stable order while the numbers change: a row that moves is missed by the mouse.
      order={(a, b) => a.name.localeCompare(b.name, "zh-CN", { numeric: true })}
      action={(server) => <CreateOn server={server} />}
    />
  );
}
