// A label: its colour as a dot beside its word, so that the word is read in any colour and scheme.
import type { Label } from "./api";
import styles from "./LabelTag.module.css";

export function LabelTag({ label: { name, color } }: { label: Pick<Label, "name" | "color"> }) {
  return (
    <span className={styles.label}>
      <i style={{ background: color }} aria-hidden="true" />
      {name}
    </span>
  );
}

export function LabelTags({ labels }: { labels: readonly Label[] }) {
  return (
    <span className={styles.labels}>
      {labels.map((label) => (
        <LabelTag key={label.id} label={label} />
      ))}
    </span>
  );
}
