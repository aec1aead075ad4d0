// What is in an archive, folder by folder, without unpacking it.
import type { Resource } from "../api";
import { useFileQuery } from "../viewing/useFileQuery";
import { ViewState } from "../viewing/ViewState";
import { ArchiveDesk } from "./ArchiveDesk";
import { readArchive } from "./read-archive";

export function ArchiveView({ file }: { file: Resource }) {
  const { data, error, refetch } = useFileQuery(
    file,
    "archive",
    (source, signal) => readArchive(source, file.name, signal),
    // The headers of a TAR may be far from each other.
    false,
  );
  return (
    <ViewState file={file} data={data} error={error} onRetry={() => void refetch()}>
      {(archive) => <ArchiveDesk archive={archive} />}
    </ViewState>
  );
}
