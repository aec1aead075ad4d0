// Keys and what they do.
import styles from "./KeyList.module.css";

export function KeyList({ keys }: { keys: readonly (readonly [key: string, words: string])[] }) {
  return (
    <dl className={styles.keys}>
      {keys.map(([key, words]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}
