// A Word document as text, an Excel workbook as tables.
import { useMemo } from "react";
import text from "@/shared/markdown/markdown.module.css";
import { safeHtml } from "@/shared/markdown/safe-html";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import type { Resource } from "../api";
import { useFileQuery } from "../viewing/useFileQuery";
import bar from "../viewing/ViewBar.module.css";
import { ViewState } from "../viewing/ViewState";
import { endingOf } from "../viewing/viewers";
import { askWorker } from "../viewing/worker-call";
import type { OfficeFile } from "./read-office";
import { SheetDesk } from "./SheetDesk";

const start = () => new Worker(new URL("./office.worker.ts", import.meta.url), { type: "module" });

export function OfficeView({ file }: { file: Resource }) {
  const { data, error, refetch } = useFileQuery(file, "office", (source, signal) =>
    askWorker<OfficeFile>(start, source, endingOf(file.name), signal),
  );
  return (
    <ViewState file={file} data={data} error={error} onRetry={() => void refetch()}>
      {(office) =>
        office.kind === "text" ? <TextDesk html={office.html} /> : <SheetDesk sheets={office.sheets} />
      }
    </ViewState>
  );
}

function TextDesk({ html }: { html: string }) {
  const content = useMemo(() => safeHtml(html), [html]);
  if (html.trim() === "")
    return <EmptyPanel icon="fileText" text="文档里没有文字" note="可以下载后用 Word 打开" />;
  return (
    <>
      <div className={bar.note}>只显示文字、表格和图片；版式以下载后打开的为准。</div>
      <section
        className={bar.page}
        aria-label="正文"
        data-scrolls
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable for the keyboard (WCAG 2.1.1)
        tabIndex={0}
      >
        <div className={`${bar.column} ${text.text}`}>{content}</div>
      </section>
    </>
  );
}
