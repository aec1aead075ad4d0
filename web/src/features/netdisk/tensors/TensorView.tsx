// Weights and arrays by their headers: what is in them, without loading them.
import type { Resource } from "../api";
import type { ByteSource } from "../viewing/bytes";
import { useFileQuery } from "../viewing/useFileQuery";
import { ViewState } from "../viewing/ViewState";
import { endingOf } from "../viewing/viewers";
import { readGguf } from "./gguf";
import type { TensorFile } from "./model";
import { readNpy } from "./npy";
import { readNpz } from "./npz";
import { readSafetensors } from "./safetensors";
import { TensorDesk } from "./TensorDesk";
import { readTorch } from "./torch";

const readers: Readonly<Record<string, (source: ByteSource) => Promise<TensorFile>>> = {
  safetensors: readSafetensors,
  gguf: readGguf,
  npy: readNpy,
  npz: readNpz,
};

export function TensorView({ file }: { file: Resource }) {
  const read = readers[endingOf(file.name)] ?? readTorch;
  const { data, error, refetch } = useFileQuery(file, "tensors", read);
  return (
    <ViewState file={file} data={data} error={error} onRetry={() => void refetch()}>
      {(tensors) => <TensorDesk tensors={tensors} />}
    </ViewState>
  );
}
