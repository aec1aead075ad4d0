// A log from its end: it follows what a program writes, until it is scrolled up, and reads earlier lines as they come in
// sight.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useReducer, useState } from "react";
import { askDisk, diskClient } from "@/shared/api/disk-client";
import { asApiError } from "@/shared/api/problem";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import type { Resource } from "../api";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import { DownloadView } from "../preview/DownloadView";
import { useFetchFile } from "../useFetchFile";
import { ViewFault } from "../viewing/bytes";
import { readRange } from "../viewing/disk-source";
import { LogTail } from "./log-tail";
import { TailScreen } from "./TailScreen";

/** How often a file that is followed is asked for more. */
const followMs = 2_000;

export const LogFileView = ({ file }: { file: Resource }) => <LinesView file={file} fromStart={false} />;

/** A text that is too large for the editor. */
export const LongTextView = ({ file }: { file: Resource }) => <LinesView file={file} fromStart />;

function LinesView({ file, fromStart }: { file: Resource; fromStart: boolean }) {
  const { host } = useDisk();
  const fetchFile = useFetchFile(host);
  const { path } = file;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [following, setFollowing] = useState(!fromStart);
  const [error, setError] = useState<Error | null>(null);
  const [round, setRound] = useState(0);
  const [tail, setTail] = useState<LogTail | null>(null);

  /** Every step ends with what there is to see of it, unless it was left. */
  async function take(step: Promise<void>, signal?: AbortSignal) {
    try {
      await step;
      setError(null);
    } catch (cause) {
      if (signal?.aborted) return;
      setError(cause instanceof ViewFault ? cause : asApiError(cause));
    }
    redraw();
  }

  // The size is what the folder said when the file was opened; what was written since comes with the first look.
  const begin = useEffectEvent((signal: AbortSignal) => {
    const next = new LogTail(async (from, to) => {
      const { bytes } = await readRange(host, path, { begin: from, end: to }, signal);
      return bytes;
    }, file.size);
    const opening = fromStart ? next.start() : next.open();
    void take(
      opening.then(() => (signal.aborted ? undefined : setTail(next))),
      signal,
    );
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file, or another try, begins anew
  useEffect(() => {
    const stop = new AbortController();
    begin(stop.signal);
    return () => stop.abort();
  }, [host, path, round]);

  const size = useQuery({
    queryKey: ["netdisk-size", host, path],
    queryFn: async ({ signal }) => {
      const query = { kind: "listing", limit: 0 } as const;
      const call = diskClient(host).GET("/api/resources/{path}", {
        params: { path: { path }, query },
        signal,
      });
      return { size: (await askDisk(call)).size };
    },
    enabled: tail !== null,
    refetchInterval: following ? followMs : false,
    refetchIntervalInBackground: false,
    staleTime: 0,
    gcTime: 0,
    // Each answer counts, also one that is the same.
    structuralSharing: false,
  });
  const grow = useEffectEvent((next: number) => {
    if (tail && following && (next !== tail.size || !tail.atEnd)) void take(growTo(tail, next));
  });
  const { data } = size;
  useEffect(() => {
    if (data) grow(data.size);
  }, [data]);

  if (error instanceof ViewFault)
    return <DownloadView file={file} note={error.message} onDownload={() => fetchFile(path)} />;
  if (!tail)
    return error ? (
      <ErrorPanel
        title={`${shownName(file.name)} 打开失败`}
        error={asApiError(error)}
        onRetry={() => {
          setError(null);
          setRound(round + 1);
        }}
      />
    ) : (
      <TableSkeleton rows={8} rowHeight={20} />
    );
  return (
    <TailScreen
      tail={tail}
      lines={tail.lines}
      error={error ?? (size.error && asApiError(size.error))}
      following={following}
      onFollowing={setFollowing}
      onEarlier={() => take(tail.earlier())}
      onLater={() => void take(tail.later())}
      onEnd={() => void take(tail.open())}
      onStart={() => void take(tail.start())}
    />
  );
}

/** Much was written at once: only the end of it is shown. */
const mostBehind = 4 * 1024 * 1024;

async function growTo(tail: LogTail, size: number): Promise<void> {
  if (size - tail.to > mostBehind) {
    tail.size = size;
    await tail.open();
    return;
  }
  await tail.later(size);
  while (!tail.atEnd && tail.to < size) await tail.later();
}
