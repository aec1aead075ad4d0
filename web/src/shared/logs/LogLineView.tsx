// One line of a log, with its colours and with the search's matches.
import { memo } from "react";
import { markedPieces } from "./find";
import styles from "./LogView.module.css";
import type { LogLine } from "./log-lines";

interface LogLineViewProps {
  line: LogLine;
  wanted: string;
  /** The current match. */
  current: boolean;
}

export const LogLineView = memo(({ line, wanted, current }: LogLineViewProps) => (
  <div className={current ? `${styles.line} ${styles.current}` : styles.line}>
    {line.text === "" && "\u00a0"}
    {markedPieces(line, wanted).map(({ at, text, style, found }) =>
      found ? (
        <mark key={at} className={styles.mark}>
          {text}
        </mark>
      ) : (
        <span key={at} style={style}>
          {text}
        </span>
      ),
    )}
  </div>
));
