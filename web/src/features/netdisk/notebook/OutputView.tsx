// One output of a notebook's cell.
import { useMemo } from "react";
import text from "@/shared/markdown/markdown.module.css";
import { hasWords, safeHtml } from "@/shared/markdown/safe-html";
import { AnsiText } from "../texts/AnsiText";
import { RichText } from "../texts/RichText";
import styles from "./Notebook.module.css";
import type { Output } from "./notebook";

export function OutputView({ output }: { output: Output }) {
  switch (output.kind) {
    case "image":
      return (
        <div className={styles.output}>
          <img className={styles.picture} src={output.address} alt="输出的图片" loading="lazy" />
        </div>
      );
    case "html":
      return (
        <div className={`${styles.output} ${text.text}`}>
          <Html html={output.html} />
        </div>
      );
    case "markdown":
      return (
        <div className={styles.output}>
          <RichText text={output.text} />
        </div>
      );
    case "scripted":
      return (
        <div className={`${styles.output} ${text.text}`}>
          <p className={styles.note}>
            这个输出里有脚本或内嵌网页，这里不运行，可能显示不全。可以下载后用 Jupyter 打开。
          </p>
          {hasWords(output.html) ? (
            <Html html={output.html} />
          ) : (
            <AnsiText text={output.text} error={false} />
          )}
        </div>
      );
    default:
      return (
        <div className={styles.output}>
          <AnsiText text={output.text} error={output.error} />
        </div>
      );
  }
}

/** Of one output; a notebook may have thousands of them. */
const mostNodes = 20_000;

function Html({ html }: { html: string }) {
  const content = useMemo(() => safeHtml(html, { most: mostNodes }), [html]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a table in an output is no fieldset
    <div role="group" aria-label="输出" tabIndex={0} data-scrolls>
      {content}
    </div>
  );
}
