// The present beside the age of an instance.
import { useNow } from "@/shared/lib/use-now";
import { secondsBetween } from "./text";

const SECOND = 1000;
/** Until then ages are read by the second or so. */
const YOUNG_SECONDS = 120;

/** The present time, updated as often as the text of an age changes; rarely without one. */
export function useRunningNow(since: string | null | undefined): Date {
  const isYoung = since && secondsBetween(since, new Date()) < YOUNG_SECONDS;
  return useNow(isYoung ? SECOND : 30 * SECOND);
}
