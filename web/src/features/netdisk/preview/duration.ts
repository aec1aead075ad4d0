// How long a recording is, as players write it. Pure.

/** `2:14`, `1:02:03`; nothing for a stream without an end. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "";
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
