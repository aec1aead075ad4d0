// The cards of a server, one per row: model, holder, load.
import { Link } from "react-router";
import type { Gpu, ServerView } from "@/shared/compute/api";
import { GpuSquare } from "@/shared/compute/GpuSquares";
import { freeOf, holderText, lookLabels, lookOf } from "@/shared/compute/gpu-look";
import { shortModel } from "@/shared/compute/gpu-model";
import { links } from "@/shared/compute/links";
import { memoryText, secondsBetween, spanText } from "@/shared/compute/text";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";
import { CardFaultActions } from "./CardFaultActions";
import styles from "./GpuTable.module.css";

export function GpuTable({ server }: { server: ServerView }) {
  const { gpus } = server;
  return (
    <Panel
      title="显卡"
      extra={
        gpus.length > 0 && (
          <span className={styles.count}>{`${gpus.length} 张，空闲 ${freeOf(server).length}`}</span>
        )
      }
    >
      {gpus.length === 0 ? (
        <EmptyPanel
          icon="gpu"
          text="没有显卡"
          note={
            server.manage
              ? "NVIDIA 显卡会自动发现；其他加速卡请在服务器管理里按设备节点登记"
              : "这台服务器只提供 CPU 和内存"
          }
          {...(server.manage && {
            action: <Link to={`${links.manage}?panel=gpus&id=${server.id}`}>登记显卡</Link>,
          })}
        />
      ) : (
        <div className={styles.scroll}>
          <table className={styles.table} aria-label="显卡">
            <thead>
              <tr>
                <th>卡</th>
                <th>使用</th>
                <th className={styles.right}>利用率</th>
                <th className={styles.right}>显存</th>
                <th className={styles.right}>温度</th>
                <th className={styles.right}>功耗</th>
              </tr>
            </thead>
            <tbody>
              {gpus.map((gpu) => (
                <Row key={gpu.id} gpu={gpu} server={server} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

/** Who has it comes first; what it is called for programs and since when below. */
function Holder({ gpu, server }: { gpu: Gpu; server: ServerView }) {
  const look = lookOf(gpu, server);
  const { lease } = gpu;
  if (lease && (look === "mine" || look === "other")) {
    return (
      <>
        {lease.mine ? "我" : lease.username}
        <small>
          {lease.instance}，已 {spanText(secondsBetween(lease.since, new Date()))}
        </small>
      </>
    );
  }
  return (
    <>
      {lookLabels[look]}
      {look !== "free" && (
        <small>
          {holderText(gpu, server)}
          {lease && `，已 ${spanText(secondsBetween(lease.since, new Date()))}`}
        </small>
      )}
    </>
  );
}

function Row({ gpu, server }: { gpu: Gpu; server: ServerView }) {
  const look = lookOf(gpu, server);
  const { sample, memoryTotal } = gpu;
  const measured = (value: number | null | undefined, unit: string) =>
    value == null ? "—" : `${value} ${unit}`;
  return (
    <tr>
      <td data-label="卡">
        <span className={styles.card}>
          <GpuSquare look={look} utilization={sample?.utilization} />
          <span>
            卡 {gpu.index}
            <small title={gpu.model}>{shortModel(gpu)}</small>
          </span>
        </span>
      </td>
      <td data-label="使用">
        <Holder gpu={gpu} server={server} />
        {gpu.state === "faulty" && <CardFaultActions gpu={gpu} server={server} />}
      </td>
      <td data-label="利用率" className={styles.right}>
        {sample?.utilization == null ? "—" : `${sample.utilization}%`}
      </td>
      <td data-label="显存" className={styles.right}>
        {sample?.memoryUsed == null ? "—" : memoryText(sample.memoryUsed)}
        {memoryTotal > 0 && ` / ${memoryText(memoryTotal)}`}
      </td>
      <td data-label="温度" className={styles.right}>
        {measured(sample?.temperature, "°C")}
      </td>
      <td data-label="功耗" className={styles.right}>
        {measured(sample?.power, "W")}
      </td>
    </tr>
  );
}
