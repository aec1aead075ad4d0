// The content of a file in the way that its kind asks for; what no page can show is offered as a download.
import { lazy, Suspense } from "react";
import type { Resource } from "../api";
import { DownloadView } from "./DownloadView";
import { ImageView } from "./ImageView";
import { MediaView } from "./MediaView";

const PdfView = lazy(() => import("./PdfView").then(({ PdfView: view }) => ({ default: view })));

const viewable: readonly Resource["type"][] = ["image", "audio", "video", "pdf"];

/** What is not has its download in the middle of the page. */
export const isViewable = ({ type }: Resource) => viewable.includes(type);

interface FileContentProps {
  file: Resource;
  onSwipe: (direction: "next" | "previous") => void;
  onDownload: () => void;
}

export function FileContent({ file, onSwipe, onDownload }: FileContentProps) {
  switch (file.type) {
    case "image":
      return <ImageView file={file} onSwipe={onSwipe} />;
    case "audio":
    case "video":
      return <MediaView file={file} />;
    case "pdf":
      return (
        <Suspense>
          <PdfView file={file} />
        </Suspense>
      );
    default:
      return <DownloadView file={file} onDownload={onDownload} />;
  }
}
