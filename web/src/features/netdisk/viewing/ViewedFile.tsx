// A file in the view of its kind; each view is loaded on its own.
import { type ComponentType, type LazyExoticComponent, Suspense } from "react";
import { formatSize } from "@/shared/lib/numbers";
import { latePart } from "@/shared/parts/late-part";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import type { Resource } from "../api";
import { DownloadView } from "../preview/DownloadView";
import { isTooLarge, type ViewerName } from "./viewers";

type View = LazyExoticComponent<ComponentType<{ file: Resource }>>;

const views: Record<ViewerName, View> = {
  markdown: latePart(async () => (await import("../texts/MarkdownView")).MarkdownView),
  notebook: latePart(async () => (await import("../notebook/NotebookView")).NotebookView),
  csv: latePart(async () => (await import("../tables/CsvView")).CsvView),
  log: latePart(async () => (await import("../tail/LogFileView")).LogFileView),
  long: latePart(async () => (await import("../tail/LogFileView")).LongTextView),
  tensors: latePart(async () => (await import("../tensors/TensorView")).TensorView),
  parquet: latePart(async () => (await import("../parquet/ParquetView")).ParquetView),
  office: latePart(async () => (await import("../office/OfficeView")).OfficeView),
  archive: latePart(async () => (await import("../archives/ArchiveView")).ArchiveView),
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
        note={`${formatSize(file.size)} 的文件太大，请下载后查看`}
      />
    );
  return (
    <Suspense fallback={<TableSkeleton rows={8} rowHeight={20} />}>
      <View file={file} />
    </Suspense>
  );
}
