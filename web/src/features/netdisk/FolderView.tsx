// The entry at one path: a folder, a single file, or why it cannot be shown. Mounted again for each path.
import { App } from "antd";
import { useEffect } from "react";
import { Navigate, useSearchParams } from "react-router";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { usePhone } from "@/shared/ui/usePhone";
import { useDisk } from "./disk-context";
import { asFolder, diskRoot, filesAddress, isFolderPath } from "./disk-paths";
import { FileView } from "./FileView";
import { FolderListing } from "./FolderListing";
import { isLost, LoadFailure } from "./listing/FolderStates";
import { arrive, usePlace } from "./listing/last-place";
import { sortingIn } from "./listing/sorting";
import { useEntries } from "./listing/useEntries";
import { closeOverlay } from "./overlay";

export function FolderView({ path }: { path: string }) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const [search] = useSearchParams();
  const place = usePlace(path);
  const entries = useEntries(host, path, sortingIn(search), place);
  const phone = usePhone();
  const { query, resource } = entries;

  useEffect(() => {
    // The end of the session has a message of its own.
    if (query.error && query.error.status !== 401) message.error(`没有打开：${query.error.message}`, 2);
  }, [query.error, message]);

  const there = resource !== undefined;
  useEffect(() => {
    if (there) arrive(path, place);
  }, [path, place, there]);

  // An overlay belongs to the folder that is left.
  useEffect(() => closeOverlay, []);

  if (query.isPending) return <TableSkeleton rows={8} rowHeight={phone ? 56 : 36} />;
  // A text that is being edited stays, whatever happened to its file.
  if (!resource || (resource.isDir && isLost(query.error))) {
    return query.error && <LoadFailure error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (resource.isDir !== isFolderPath(path) && path !== diskRoot) {
    const pathname = filesAddress(resource.isDir ? asFolder(path) : path.replace(/\/$/, ""));
    return <Navigate replace to={{ pathname, search: search.toString() }} />;
  }
  return resource.isDir ? (
    <FolderListing path={path} entries={entries} place={place} />
  ) : (
    <FileView file={resource} />
  );
}
