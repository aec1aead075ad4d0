// 服务器健康, for administrators: servers that need attention, and the number of cards in use.
import type { ServerView } from "@/shared/compute/api";
import { countsOf } from "@/shared/compute/counts";
import { lookOf } from "@/shared/compute/gpu-look";
import { percentsText } from "@/shared/compute/machine-use";
import { LinkButton } from "@/shared/frame/LinkButton";
import { StateText } from "@/shared/ui/StateText";
import styles from "./Servers.module.css";
import { ServersPanel } from "./ServersPanel";

/** 62–78 °C: of the coldest card to the hottest. */
function warmth({ state, gpus }: ServerView): string {
  const degrees = state === "online" ? gpus.flatMap(({ sample }) => sample?.temperature ?? []) : [];
  if (degrees.length === 0) return "";
  const [low, high] = [Math.min(...degrees), Math.max(...degrees)];
  return low === high ? `${low} °C` : `${low}–${high} °C`;
}

/** Faults beyond the state of the server itself. */
function Trouble({ server }: { server: ServerView }) {
  const failed = server.manage?.checks.filter(({ outcome }) => outcome === "failed").length ?? 0;
  const faulty = server.gpus.filter((gpu) => lookOf(gpu, server) === "faulty").length;
  const words = [faulty > 0 && `${faulty} 张卡故障`, failed > 0 && `${failed} 项检测未通过`].filter(Boolean);
  if (words.length === 0) {
    return <>{[`${server.runningInstances} 个实例`, warmth(server)].filter(Boolean).join(" · ")}</>;
  }
  return (
    <StateText icon="alert" tone="error">
      {words.join("，")}
    </StateText>
  );
}

export function ServerHealth() {
  return (
    <ServersPanel
      title="服务器健康"
      none="还没有服务器"
      noneAction={<LinkButton to="/servers/server_join">添加服务器</LinkButton>}
      sum={(servers) => {
        const { used, gpus } = countsOf(servers);
        const online = servers.filter(({ state }) => state === "online").length;
        return `在线 ${online} / ${servers.length} 台 · 在用 ${used} / ${gpus} 张卡`;
      }}
      // Servers that need attention first.
      order={(a, b) =>
        Number(a.state === "online") - Number(b.state === "online") ||
        a.name.localeCompare(b.name, "zh-CN", { numeric: true })
      }
      action={(server) => (
        <>
          <Trouble server={server} />
          <small className={styles.note}>{percentsText(server)}</small>
        </>
      )}
    />
  );
}
