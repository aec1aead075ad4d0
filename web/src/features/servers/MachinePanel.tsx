// 主机用量: load of the machine, whatever causes it.
import type { ServerView } from "@/shared/compute/api";
import { sharesOf } from "@/shared/compute/machine-use";
import { ShareCell } from "@/shared/compute/ShareCell";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";
import styles from "./SystemFacts.module.css";

export function MachinePanel({ server }: { server: ServerView }) {
  const shares = sharesOf(server);
  return (
    <Panel title="主机用量">
      {shares.length === 0 ? (
        <EmptyPanel
          icon="server"
          text="还没有主机的用量"
          note={server.state === "online" ? "每 15 秒查看一次" : "服务器恢复应答后自动更新"}
        />
      ) : (
        <dl className={styles.facts}>
          {shares.map((share) => (
            <div key={share.label}>
              <dt>{share.label}</dt>
              <dd>
                <ShareCell share={share} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  );
}
