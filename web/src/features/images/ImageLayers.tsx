// The layers, lowest first, each as a bar by its size: where an image is large is seen at once.
import { formatSize } from "@/shared/lib/numbers";
import type { Described } from "./api";
import styles from "./ImageInfo.module.css";

type Layer = Described["layers"][number];

/** `sha256:0123456789ab…`, enough to distinguish them. */
const shortDigest = (digest: string) => digest.replace(/^sha256:/, "").slice(0, 12);

export function ImageLayers({ layers }: { layers: readonly Layer[] }) {
  const largest = Math.max(1, ...layers.map(({ size }) => size ?? 0));
  if (layers.length === 0) return <span className={styles.none}>没有</span>;
  return (
    <ol className={styles.layers} aria-label="层">
      {layers.map(({ digest, size }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same empty layer may stand there twice
        <li key={`${digest}-${index}`}>
          <code title={digest}>{shortDigest(digest)}</code>
          <span className={styles.bar} aria-hidden="true">
            <i style={{ width: `${((size ?? 0) / largest) * 100}%` }} />
          </span>
          <span className={styles.size}>{size == null ? "—" : formatSize(size)}</span>
        </li>
      ))}
    </ol>
  );
}
