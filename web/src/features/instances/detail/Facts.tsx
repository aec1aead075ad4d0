// 实例信息: its configuration and its mounts of the network disk.
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { InstanceDetail } from "@/shared/compute/api";
import { InstanceCards } from "@/shared/compute/InstanceRows";
import { isStopped } from "@/shared/compute/instance-state";
import { links } from "@/shared/compute/links";
import { coresText, memoryText, whenText } from "@/shared/compute/text";
import { formatSize } from "@/shared/lib/numbers";
import { countedText } from "@/shared/lib/time";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./Facts.module.css";

export function Facts({ instance }: { instance: InstanceDetail }) {
  const { image, imageDigest, server, cpuQuota, memory, shmSize, mounts, created, stopAt, keepUntil, env } =
    instance;
  const { root } = instance;
  // A time to stop at says nothing of what has stopped.
  const over = isStopped(instance);
  return (
    <Panel title="实例信息">
      <dl className={styles.facts}>
        <Fact name="镜像">
          {image}
          {imageDigest && (
            <small className={styles.line} title={imageDigest}>
              {imageDigest.slice(0, 19)}…
            </small>
          )}
        </Fact>
        {server && (
          <Fact name="服务器">
            <Link to={links.server(server.id)}>{server.name}</Link>
          </Fact>
        )}
        <Fact name="GPU 卡">
          <InstanceCards instance={instance} />
        </Fact>
        <Fact name="资源">
          {coresText(cpuQuota)} · {memoryText(memory)} · 共享内存 {memoryText(shmSize)}
        </Fact>
        {root && (
          <Fact name="系统盘">
            已写入 {formatSize(root.used)}
            {root.limit > 0 && `，上限 ${formatSize(root.limit)}`} <small>{countedText(root.counted)}</small>
          </Fact>
        )}
        <Fact name="挂载">
          {mounts.length === 0
            ? "没有挂载网盘文件夹"
            : mounts.map(({ target, readOnly }) => (
                <span key={target} className={styles.line}>
                  {target} <small>{readOnly ? "只读" : "可写"}</small>
                </span>
              ))}
        </Fact>
        {env && Object.keys(env).length > 0 && (
          <Fact name="环境变量">
            {Object.entries(env).map(([name, value]) => (
              <span key={name} className={styles.line}>
                {name}={String(value)}
              </span>
            ))}
          </Fact>
        )}
        {instance.command.length > 0 && <Fact name="启动命令">{instance.command.join(" ")}</Fact>}
        <Fact name="所有者">{instance.owner.username}</Fact>
        <Fact name="创建">
          <TimeText time={created} full />
        </Fact>
        <Fact name="服务器重启后">{instance.autoStart ? "自动启动" : "保持停止"}</Fact>
        {!over && <Fact name="停止">{stopAt ? whenText(stopAt) : "不自动停止"}</Fact>}
        {over && keepUntil && <Fact name="保留到">{whenText(keepUntil)}</Fact>}
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
