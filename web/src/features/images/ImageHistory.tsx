// The build steps of an image, the first one first; those that only change the configuration are dimmed.
import { formatSize } from "@/shared/lib/numbers";
import type { Described } from "./api";
import styles from "./ImageInfo.module.css";

type Step = Described["history"][number];

/** As in the Dockerfile, without the builder's own prefix. */
export const instructionOf = ({ createdBy }: Step) =>
  createdBy
    .replace(/^\/bin\/sh -c #\(nop\)\s+/, "")
    .replace(/^\/bin\/sh -c /, "RUN ")
    .replace(/\s*# buildkit$/, "");

export function ImageHistory({ history }: { history: readonly Step[] }) {
  if (history.length === 0) return <span className={styles.none}>没有记录</span>;
  return (
    <ol className={styles.history} aria-label="构建历史">
      {history.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps never move
        <li key={index} className={step.empty ? styles.empty : undefined}>
          <code>{instructionOf(step) || step.comment || "—"}</code>
          {step.size != null && step.size > 0 && <span className={styles.size}>{formatSize(step.size)}</span>}
        </li>
      ))}
    </ol>
  );
}
