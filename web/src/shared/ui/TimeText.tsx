// A point in time, short in the text and in full on hover; `full` writes it out, as logs need it.
import { fullTime, shortTime } from "@/shared/lib/time";

interface TimeTextProps {
  time: string | null | undefined;
  full?: boolean;
  /** Shown when there is no such time. */
  none?: string;
}

export function TimeText({ time, full = false, none = "—" }: TimeTextProps) {
  if (!time) return none;
  return (
    <time dateTime={time} title={fullTime(time)} style={{ whiteSpace: "nowrap" }}>
      {full ? fullTime(time) : shortTime(time)}
    </time>
  );
}
