// What a view shows while it reads a file, and instead of one that it can't show: the reason, and a download.
import type { ReactNode } from "react";
import { asApiError } from "@/shared/api/problem";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import type { Resource } from "../api";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import { DownloadView } from "../preview/DownloadView";
import { useFetchFile } from "../useFetchFile";
import { ViewFault } from "./bytes";

interface ViewStateProps<Data> {
  file: Resource;
  data: Data | undefined;
  error: Error | null;
  onRetry: () => void;
  children: (data: Data) => ReactNode;
}

export function ViewState<Data>({ file, data, error, onRetry, children }: ViewStateProps<Data>) {
  const { host } = useDisk();
  const fetchFile = useFetchFile(host);
  if (data !== undefined) return children(data);
  if (error instanceof ViewFault)
    return <DownloadView file={file} note={error.message} onDownload={() => fetchFile(file.path)} />;
  if (error)
    return (
      <ErrorPanel title={`${shownName(file.name)} 打开失败`} error={asApiError(error)} onRetry={onRetry} />
    );
  return <TableSkeleton rows={8} rowHeight={32} />;
}
