// A Markdown file, set as text.
import type { Resource } from "../api";
import { parentOf } from "../disk-paths";
import { decode, encodingOf } from "../editor/encodings";
import { useFileQuery } from "../viewing/useFileQuery";
import bar from "../viewing/ViewBar.module.css";
import { ViewState } from "../viewing/ViewState";
import { RichText } from "./RichText";

export function MarkdownView({ file }: { file: Resource }) {
  const { data, error, refetch } = useFileQuery(file, "markdown", async (source) => {
    const bytes = source.size > 0 ? await source.read(0, source.size) : new Uint8Array();
    return decode(bytes, encodingOf(bytes));
  });
  return (
    <ViewState file={file} data={data} error={error} onRetry={() => void refetch()}>
      {(text) => (
        <section
          className={bar.page}
          aria-label="正文"
          data-scrolls
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable for the keyboard (WCAG 2.1.1)
          tabIndex={0}
        >
          <div className={bar.column}>
            {text.trim() === "" ? <p>文件是空的</p> : <RichText text={text} folder={parentOf(file.path)} />}
          </div>
        </section>
      )}
    </ViewState>
  );
}
