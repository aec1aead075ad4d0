// All cards, servers and instances in four figures, for administrators.
import { useQuery } from "@tanstack/react-query";
import { allServersQuery } from "@/shared/compute/api";
import { countsOf } from "@/shared/compute/counts";
import { links } from "@/shared/compute/links";
import styles from "@/shared/ui/Figures.module.css";
import { Panel } from "@/shared/ui/Panel";
import { brokenInstancesQuery } from "./api";
import { Figure } from "./Figure";

const said = (parts: readonly (readonly [words: string, count: number])[]) =>
  parts.flatMap(([words, count]) => (count > 0 ? [`${words} ${count}`] : [])).join(" · ");

export function ComputeStrip() {
  const servers = useQuery(allServersQuery);
  const broken = useQuery(brokenInstancesQuery);
  const items = servers.data?.items;
  const counts = items && countsOf(items);
  const running = items?.reduce((sum, { runningInstances }) => sum + runningInstances, 0);
  // The panel of servers below shows the reason.
  const unknown = servers.error ? "没有取到" : "";
  return (
    <Panel label="算力">
      <div className={styles.strip}>
        <Figure
          to={links.servers}
          icon="gpu"
          label="GPU 卡在用"
          value={counts?.used}
          unit={counts ? `/ ${counts.gpus} 张` : ""}
          note={
            counts
              ? said([
                  ["空闲", counts.free],
                  ["故障", counts.faulty],
                  ["其余不可用", counts.gpus - counts.used - counts.free - counts.faulty],
                ])
              : unknown
          }
        />
        <Figure
          to={links.manage}
          icon="server"
          label="服务器在线"
          value={counts && counts.by.online + counts.by.maintenance}
          unit={items ? `/ ${items.length} 台` : ""}
          note={
            counts
              ? said([
                  ["失联", counts.by.unreachable],
                  ["维护", counts.by.maintenance],
                  ["已停用", counts.by.disabled],
                ])
              : unknown
          }
          alarm={counts !== undefined && counts.by.unreachable > 0}
        />
        <Figure
          to={`${links.instances}?state=running`}
          icon="running"
          label="运行实例"
          value={running}
          unit="个"
          note={unknown}
        />
        <Figure
          to={`${links.instances}?state=error`}
          icon="fault"
          label="异常实例"
          value={broken.data?.total}
          unit="个"
          note={broken.error ? "没有取到" : "启动失败或意外退出"}
          alarm={(broken.data?.total ?? 0) > 0}
        />
      </div>
    </Panel>
  );
}
