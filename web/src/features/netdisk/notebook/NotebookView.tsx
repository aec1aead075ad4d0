// A Jupyter notebook as it was saved, with its outputs. Nothing in it is run: HTML is taken over element by element, and
// pictures are only pictures.
import { formatCount } from "@/shared/lib/numbers";
import type { Resource } from "../api";
import { decodeUtf8, ViewFault } from "../viewing/bytes";
import { useFileQuery } from "../viewing/useFileQuery";
import bar from "../viewing/ViewBar.module.css";
import { ViewState } from "../viewing/ViewState";
import { CellView } from "./CellView";
import styles from "./Notebook.module.css";
import { parseNotebook } from "./notebook";

export function NotebookView({ file }: { file: Resource }) {
  const { data, error, refetch } = useFileQuery(file, "notebook", async (source) => {
    const text = decodeUtf8(await source.read(0, source.size));
    const notebook = parseNotebook(text);
    if (!notebook) throw new ViewFault("文件不是 Jupyter 笔记本，或已损坏");
    return notebook;
  });
  return (
    <ViewState file={file} data={data} error={error} onRetry={() => void refetch()}>
      {({ cells, language, total }) => (
        <section
          className={bar.page}
          aria-label="笔记本"
          data-scrolls
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable for the keyboard (WCAG 2.1.1)
          tabIndex={0}
        >
          <div className={styles.cells}>
            {total === 0 && <p className={styles.note}>笔记本里没有内容</p>}
            {cells.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other name than their place
              <CellView key={at} cell={cell} language={language} />
            ))}
            {total > cells.length && (
              <p className={styles.note}>
                共 {formatCount(total)} 个单元，这里只显示前 {formatCount(cells.length)} 个
              </p>
            )}
          </div>
        </section>
      )}
    </ViewState>
  );
}
