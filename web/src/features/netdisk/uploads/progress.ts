// Numbers of a running upload: percent, colour, speed, time left. Pure.
import { formatSize } from "@/shared/lib/numbers";

/** Loaded of total as a percentage, rounded up. */
export function percentOf(loaded: number, total: number): number {
  return total > 0 ? Math.min(100, Math.ceil((loaded / total) * 100)) : 0;
}

export type ProgressTone = "low" | "middle" | "high";

/** The colour changes at 30 and at 70. */
export function toneOf(percent: number): ProgressTone {
  if (percent < 30) return "low";
  return percent < 70 ? "middle" : "high";
}

export interface Sample {
  /** Milliseconds. */
  at: number;
  /** Bytes sent altogether until then. */
  sent: number;
}

/** How far the speed looks back: shorter jumps about, longer hides that the line broke. */
const speedWindow = 3_000;

export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  return [...samples.filter(({ at }) => sample.at - at <= speedWindow), sample];
}

/** Bytes a second over the samples; 0 while there is nothing to tell from. */
export function speedOf(samples: readonly Sample[]): number {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.at - first.at < 200) return 0;
  return Math.max(0, ((last.sent - first.sent) * 1000) / (last.at - first.at));
}

export const speedText = (speed: number) => (speed > 0 ? `${formatSize(speed)}/s` : "");

export function timeLeftText(bytes: number, speed: number): string {
  if (speed <= 0 || bytes <= 0) return "";
  const seconds = Math.ceil(bytes / speed);
  if (seconds < 60) return `剩 ${seconds} 秒`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `剩 ${minutes} 分 ${seconds % 60} 秒`;
  return `剩 ${Math.floor(minutes / 60)} 小时 ${minutes % 60} 分`;
}
