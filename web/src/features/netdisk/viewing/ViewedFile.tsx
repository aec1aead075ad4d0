// A file in the view of its kind. A text can also be seen as its source, where it is changed; which of both is in the
// URL. Each view is loaded on its own.
import { Segmented } from "antd";
import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode, Suspense } from "react";
import { useSearchParams } from "react-router";
import { formatSize } from "@/shared/lib/numbers";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import type { Resource } from "../api";
import { DownloadView } from "../preview/DownloadView";
import styles from "./ViewedFile.module.css";
import { isTooLarge, type ViewerName } from "./viewers";

type View = LazyExoticComponent<ComponentType<{ file: Resource }>>;

const views: Record<ViewerName, View> = {
  markdown: lazy(() => import("../texts/MarkdownView").then(({ MarkdownView: view }) => ({ default: view }))),
  notebook: lazy(() =>
    import("../notebook/NotebookView").then(({ NotebookView: view }) => ({ default: view })),
  ),
  csv: lazy(() => import("../tables/CsvView").then(({ CsvView: view }) => ({ default: view }))),
  log: lazy(() => import("../tail/LogFileView").then(({ LogFileView: view }) => ({ default: view }))),
  tensors: lazy(() => import("../tensors/TensorView").then(({ TensorView: view }) => ({ default: view }))),
  parquet: lazy(() => import("../parquet/ParquetView").then(({ ParquetView: view }) => ({ default: view }))),
  office: lazy(() => import("../office/OfficeView").then(({ OfficeView: view }) => ({ default: view }))),
  archive: lazy(() => import("../archives/ArchiveView").then(({ ArchiveView: view }) => ({ default: view }))),
};

interface ViewedFileProps {
  file: Resource;
  viewer: ViewerName;
  /** Something of the source is not saved: leaving it would lose that. */
  dirty: boolean;
  onDownload: () => void;
  editor: ReactNode;
}

const parameter = "view";

export function ViewedFile({ file, viewer, dirty, onDownload, editor }: ViewedFileProps) {
  const [search, setSearch] = useSearchParams();
  const isText = file.type === "text" || file.type === "textImmutable";
  const large = isTooLarge(viewer, file.size);
  const asSource = isText && (large || search.get(parameter) === "source");
  const View = views[viewer];

  function show(what: string) {
    const next = new URLSearchParams(search);
    if (what === "source") next.set(parameter, what);
    else next.delete(parameter);
    setSearch(next, { replace: true });
  }

  if (large && !isText)
    return (
      <DownloadView
        file={file}
        onDownload={onDownload}
        note={`${formatSize(file.size)} 的文件不在网页里打开，请下载后查看`}
      />
    );
  return (
    <>
      {isText && !large && (
        <div className={styles.switch}>
          <Segmented
            size="small"
            aria-label="显示方式"
            value={asSource ? "source" : "view"}
            options={[
              { value: "view", label: "预览", disabled: dirty, title: dirty ? "先保存修改" : "" },
              { value: "source", label: "源码" },
            ]}
            onChange={show}
          />
        </div>
      )}
      {asSource ? (
        editor
      ) : (
        <Suspense fallback={<TableSkeleton rows={8} rowHeight={20} />}>
          <View file={file} />
        </Suspense>
      )}
    </>
  );
}
