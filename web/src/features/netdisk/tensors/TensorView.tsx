// Weights and arrays by their headers: what is in them, without loading them.
import type { Resource } from "../api";
import { useFileQuery } from "../viewing/useFileQuery";
import { ViewState } from "../viewing/ViewState";
import { endingOf } from "../viewing/viewers";
import { askWorker } from "../viewing/worker-call";
import type { TensorFile } from "./model";
import { TensorDesk } from "./TensorDesk";

const start = () => new Worker(new URL("./tensors.worker.ts", import.meta.url), { type: "module" });

export function TensorView({ file }: { file: Resource }) {
  const { data, error, refetch } = useFileQuery(file, "tensors", (source, signal) =>
    askWorker<TensorFile>(start, source, endingOf(file.name), signal),
  );
  return (
    <ViewState file={file} data={data} error={error} onRetry={() => void refetch()}>
      {(tensors) => <TensorDesk tensors={tensors} />}
    </ViewState>
  );
}
