// One cell of a notebook: its source, and what its run left.
import { memo } from "react";
import { HighlightedCode } from "@/shared/editor/HighlightedCode";
import { formatCount } from "@/shared/lib/numbers";
import { RichText } from "../texts/RichText";
import styles from "./Notebook.module.css";
import { attachmentName, type Cell } from "./notebook";
import { OutputView } from "./OutputView";

interface CellViewProps {
  cell: Cell;
  language: string;
}

export const CellView = memo(function CellView({ cell, language }: CellViewProps) {
  const { kind, source, count, outputs, more, attachments } = cell;
  if (kind === "markdown")
    return (
      <div className={styles.words}>
        <RichText text={source} picture={(address) => attachments.get(attachmentName(address))} />
      </div>
    );
  return (
    <div className={styles.cell}>
      {source !== "" && (
        <div className={styles.part}>
          <span className={styles.count} aria-hidden="true">
            {kind === "code" && `[${count ?? " "}]`}
          </span>
          <div className={styles.code}>
            <HighlightedCode code={source} language={kind === "code" ? language : ""} />
          </div>
        </div>
      )}
      {outputs.map((output, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs have no other name than their place
        <div key={at} className={styles.part}>
          <span className={styles.count} />
          <OutputView output={output} />
        </div>
      ))}
      {more > 0 && <p className={styles.note}>还有 {formatCount(more)} 个输出没有显示</p>}
    </div>
  );
});
