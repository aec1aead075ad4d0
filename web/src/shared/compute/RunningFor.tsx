// How long an instance has been running, also while the page stays open.

import { secondsBetween, spanText } from "./text";
import { useRunningNow } from "./use-running-now";

export function RunningFor({ since }: { since: string }) {
  const now = useRunningNow(since);
  return <>{`已运行 ${spanText(secondsBetween(since, now))}`}</>;
}
