// A file in the view of its kind; each view is loaded on its own.
import { type ComponentType, type LazyExoticComponent, lazy, Suspense } from "react";
import { formatSize } from "@/shared/lib/numbers";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import type { Resource } from "../api";
import { DownloadView } from "../preview/DownloadView";
import { isTooLarge, type ViewerName } from "./viewers";

type View = LazyExoticComponent<ComponentType<{ file: Resource }>>;

const views: Record<ViewerName, View> = {
  markdown: lazy(() => import("../texts/MarkdownView").then(({ MarkdownView: view }) => ({ default: view }))),
  notebook: lazy(() =>
    import("../notebook/NotebookView").then(({ NotebookView: view }) => ({ default: view })),
  ),
  csv: lazy(() => import("../tables/CsvView").then(({ CsvView: view }) => ({ default: view }))),
  log: lazy(() => import("../tail/LogFileView").then(({ LogFileView: view }) => ({ default: view }))),
  long: lazy(() => import("../tail/LogFileView").then(({ LongTextView: view }) => ({ default: view }))),
  tensors: lazy(() => import("../tensors/TensorView").then(({ TensorView: view }) => ({ default: view }))),
  parquet: lazy(() => import("../parquet/ParquetView").then(({ ParquetView: view }) => ({ default: view }))),
  office: lazy(() => import("../office/OfficeView").then(({ OfficeView: view }) => ({ default: view }))),
  archive: lazy(() => import("../archives/ArchiveView").then(({ ArchiveView: view }) => ({ default: view }))),
};

interface ViewedFileProps {
  file: Resource;
  viewer: ViewerName;
  onDownload: () => void;
}

export function ViewedFile({ file, viewer, onDownload }: ViewedFileProps) {
  const View = views[viewer];
  if (isTooLarge(viewer, file.size))
    return (
      <DownloadView
        file={file}
        onDownload={onDownload}
        note={`${formatSize(file.size)} 的文件不在网页里打开，请下载后查看`}
      />
    );
  return (
    <Suspense fallback={<TableSkeleton rows={8} rowHeight={20} />}>
      <View file={file} />
    </Suspense>
  );
}
