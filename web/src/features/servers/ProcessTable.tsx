// Processes on the cards: process → instance → person.
import type { ServerView } from "@/shared/compute/api";
import { memoryText } from "@/shared/compute/text";
import { Panel } from "@/shared/ui/Panel";
import styles from "./GpuTable.module.css";

export function ProcessTable({ server: { gpus } }: { server: ServerView }) {
  const processes = gpus.flatMap((gpu) => gpu.processes.map((process) => ({ ...process, gpu })));
  if (processes.length === 0) return null;
  return (
    <Panel title="卡上的进程" extra={<span className={styles.count}>{processes.length} 个</span>}>
      <div className={styles.scroll}>
        <table className={styles.table} aria-label="卡上的进程">
          <thead>
            <tr>
              <th>卡</th>
              <th>程序</th>
              <th className={styles.right}>PID</th>
              <th className={styles.right}>显存</th>
              <th>实例</th>
              <th>用户</th>
            </tr>
          </thead>
          <tbody>
            {processes.map(({ gpu, pid, name, memory, instance, username }) => (
              <tr key={`${gpu.id} ${pid}`}>
                <td>卡 {gpu.index}</td>
                <td>{name}</td>
                <td data-label="PID" className={styles.right}>
                  {pid}
                </td>
                <td data-label="显存" className={styles.right}>
                  {memory == null ? "—" : memoryText(memory)}
                </td>
                <td>{instance || "不在平台的实例里"}</td>
                <td>{username || "—"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
