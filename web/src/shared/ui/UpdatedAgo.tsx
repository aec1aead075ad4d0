// How old the data beside it is: 5 秒前更新.
import { agoText } from "@/shared/lib/time";
import { useNow } from "@/shared/lib/use-now";
import styles from "./UpdatedAgo.module.css";

const SECOND = 1000;

/** `at` in milliseconds since the epoch; it changes each second, so screen readers are not told. */
export function UpdatedAgo({ at }: { at: number }) {
  const now = useNow(SECOND);
  return <span className={styles.ago}>{agoText(at, now)}更新</span>;
}
