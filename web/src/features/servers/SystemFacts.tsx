// 系统信息: the engine's and its machine's facts; for administrators also foreign containers.
import type { ServerView } from "@/shared/compute/api";
import { coresText, memoryText } from "@/shared/compute/text";
import { fullTime } from "@/shared/lib/time";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./SystemFacts.module.css";

export function SystemFacts({ server }: { server: ServerView }) {
  const { facts, manage, cpuAvailable, memoryAvailable } = server;
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ["地址", server.publicHost],
    ["系统", facts?.os],
    ["内核", facts?.kernel],
    ["架构", facts?.architecture],
    ["CPU", facts?.cpuTotal ? coresText(facts.cpuTotal) : undefined],
    ["内存", facts?.memoryTotal ? memoryText(facts.memoryTotal) : undefined],
    ["可分配", cpuAvailable == null ? undefined : coresText(cpuAvailable)],
    ["可分配内存", memoryAvailable == null ? undefined : memoryText(memoryAvailable)],
    ["容器引擎", facts?.engineVersion && `${facts.engineVersion}（API ${facts.apiVersion}）`],
    ["存储驱动", facts?.storageDriver],
    ["cgroup", facts?.cgroupVersion],
    ["驱动", facts?.driverVersion],
    ["CUDA", facts?.cudaVersion],
    ["端口范围", manage && `${manage.portRange.from}–${manage.portRange.to}`],
    ["网盘路径", manage?.storagePath],
    ["引擎地址", manage?.endpoint],
    ["证书到期", manage && facts?.certificateEnd && fullTime(facts.certificateEnd)],
  ];
  return (
    <Panel title="系统信息">
      <dl className={styles.facts}>
        {rows
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        <div>
          <dt>最后应答</dt>
          <dd>
            <TimeText time={server.lastSeen} full none="还没有应答过" />
          </dd>
        </div>
      </dl>
      {manage && manage.externalContainers.length > 0 && (
        <div className={styles.external}>
          <h3>外部容器（只显示，不会被改动）</h3>
          <ul>
            {manage.externalContainers.map(({ engineId, name, image, running, gpus }) => (
              <li key={engineId}>
                {name}
                <small>
                  {image} · {running ? "运行中" : "已停止"}
                  {gpus.length > 0 && ` · 占 ${gpus.length} 张卡`}
                </small>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}
