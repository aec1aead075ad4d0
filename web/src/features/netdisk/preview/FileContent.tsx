// The content of a file in the view for its kind; other kinds are offered as a download.
import { Suspense } from "react";
import { latePart } from "@/shared/parts/late-part";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import type { Resource } from "../api";
import { largestText } from "../editor/text-file";
import { useSourceView } from "../viewing/useSourceView";
import { ViewedFile } from "../viewing/ViewedFile";
import { viewerOf } from "../viewing/viewers";
import { DownloadView } from "./DownloadView";
import { ImageView } from "./ImageView";
import { MediaView } from "./MediaView";

const PdfView = latePart(async () => (await import("./PdfView")).PdfView);

const Editor = latePart(async () => (await import("../editor/Editor")).Editor);

const viewable: readonly Resource["type"][] = ["image", "audio", "video", "pdf"];

export const isText = ({ type }: Resource) => type === "text" || type === "textImmutable";

/** Other files have their download in the middle of the page. */
export const isViewable = (file: Resource) =>
  viewable.includes(file.type) || (isText(file) && file.size <= largestText) || viewerOf(file) !== null;

export interface FileContentProps {
  file: Resource;
  /** The missing permission of a user who may not read the content at all. */
  closed: string | undefined;
  /** Why its content can't be changed. */
  readOnly: string | undefined;
  /** Something of a text is not saved. */
  dirty: boolean;
  onDirty: (dirty: boolean) => void;
  onSwipe: (direction: "next" | "previous") => void;
  onDownload: () => void;
}

export function FileContent(props: FileContentProps) {
  const { file, closed, onSwipe, onDownload } = props;
  const { viewer, asSource } = useSourceView(file);
  if (closed !== undefined)
    return (
      <EmptyPanel
        icon="lock"
        text={`${closed}，看不了文件的内容`}
        note="查看、编辑、播放和下载用的是同一个权限。需要时请联系管理员开通，开通后刷新页面即可。"
      />
    );
  if (viewer && !asSource) return <ViewedFile file={file} viewer={viewer} onDownload={onDownload} />;
  switch (file.type) {
    case "image":
      return <ImageView file={file} onSwipe={onSwipe} />;
    case "audio":
    case "video":
      return <MediaView file={file} />;
    case "text":
    case "textImmutable":
      return <TextFile {...props} />;
    case "pdf":
      return (
        <Suspense fallback={<TableSkeleton rows={8} rowHeight={20} />}>
          <PdfView file={file} />
        </Suspense>
      );
    default:
      return <DownloadView file={file} onDownload={onDownload} />;
  }
}

/** A text as it is, to be changed. */
function TextFile({ file, readOnly, dirty, onDirty, onDownload }: FileContentProps) {
  if (file.size > largestText)
    return <DownloadView file={file} onDownload={onDownload} note="文件超过 10 MB，请下载后查看" />;
  return (
    <Suspense fallback={<TableSkeleton rows={8} rowHeight={20} />}>
      <Editor
        file={file}
        readOnly={file.type === "textImmutable" ? "没有修改权限" : readOnly}
        dirty={dirty}
        onDirty={onDirty}
      />
    </Suspense>
  );
}
