// How long an instance has been running, also while the page stays open.

import { useNow } from "@/shared/lib/use-now";
import { clockText, secondsBetween, spanText } from "./text";
import { useRunningNow } from "./use-running-now";

interface RunningForProps {
  since: string;
  /** To the second, also when it is old. */
  exact?: boolean;
}

export function RunningFor({ since, exact = false }: RunningForProps) {
  return exact ? <Ticking since={since} /> : <Rounded since={since} />;
}

function Rounded({ since }: { since: string }) {
  const now = useRunningNow(since);
  return <>{`已运行 ${spanText(secondsBetween(since, now))}`}</>;
}

const SECOND = 1000;

/** A clock; screen readers would be told each second. */
function Ticking({ since }: { since: string }) {
  const now = useNow(SECOND);
  return (
    <span role="timer" aria-live="off" style={{ fontVariantNumeric: "tabular-nums" }}>
      已运行 {clockText(secondsBetween(since, now))}
    </span>
  );
}
