// Follows a log, from the first available line to its end; restarts when the connection breaks.
import { useEffect, useState } from "react";
import { type ApiError, asApiError } from "@/shared/api/problem";
import { LogBuffer, type LogLines } from "./log-lines";
import { streamText } from "./stream-text";

export type LogState = "loading" | "live" | "ended" | "failed";

interface LogStream extends LogLines {
  state: LogState;
  error: ApiError | null;
  retry: () => void;
}

/** Minimum interval between two renderings, however fast the log grows. */
const DRAW_EVERY_MS = 100;
const RETRY_MS = 3_000;

const nothing = { lines: [], omitted: 0 };

export function useLogStream(address: string): LogStream {
  const [round, setRound] = useState(0);
  const [shown, setShown] = useState<LogLines>(nothing);
  const [state, setState] = useState<LogState>("loading");
  const [error, setError] = useState<ApiError | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads anew
  useEffect(() => {
    const abort = new AbortController();
    const buffer = new LogBuffer();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      setShown(buffer.snapshot());
    };
    const onText = (text: string) => {
      buffer.append(text);
      setState("live");
      setError(null);
      timer ??= setTimeout(draw, DRAW_EVERY_MS);
    };
    streamText(address, onText, abort.signal).then(
      () => {
        if (abort.signal.aborted) return;
        buffer.end();
        draw();
        setState("ended");
      },
      (cause: unknown) => {
        if (abort.signal.aborted) return;
        buffer.end();
        draw();
        const problem = asApiError(cause);
        setError(problem);
        setState("failed");
        // A refusal will be repeated.
        if (problem.status === 0 || problem.status >= 500)
          again = setTimeout(() => setRound((before) => before + 1), RETRY_MS);
      },
    );
    return () => {
      abort.abort();
      clearTimeout(timer);
      clearTimeout(again);
    };
  }, [address, round]);

  return { ...shown, state, error, retry: () => setRound((before) => before + 1) };
}
