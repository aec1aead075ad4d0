// The keyboard's way to a moment of charts that belong together: arrows move it, + and - choose less or more of the time,
// Escape ends it. Visible only while it has the focus.
import type { KeyboardEvent } from "react";
import styles from "./MomentSlider.module.css";
import { type PointingStore, type TimeRange, usePointedTime } from "./pointing";
import { momentText } from "./scale";

interface MomentSliderProps {
  shown: TimeRange;
  pointing: PointingStore;
  /** What is measured at a moment, in words. */
  textAt: (time: number) => string;
}

const STEPS = 120;
/** How much less or more is shown at once. */
const ZOOM = 0.5;

export function MomentSlider({ shown, pointing, textAt }: MomentSliderProps) {
  const time = usePointedTime(pointing);
  const [from, to] = shown;
  const at = time ?? to;

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") pointing.setState({ time: null });
    else if (event.key === "+" || event.key === "=") {
      const half = ((to - from) * ZOOM) / 2;
      const middle = Math.min(to - half, Math.max(from + half, at));
      pointing.setState({ range: [middle - half, middle + half] });
    } else if (event.key === "-") pointing.setState({ range: null });
    else return;
    event.preventDefault();
  }

  return (
    <input
      type="range"
      className={styles.slider}
      aria-label="查看时刻"
      title="左右方向键移动，+ 放大，- 显示全部"
      min={from}
      max={to}
      step={(to - from) / STEPS}
      value={at}
      aria-valuetext={`${momentText(at, shown)}，${textAt(at)}`}
      onChange={({ target }) => pointing.setState({ time: target.valueAsNumber })}
      onKeyDown={onKeyDown}
      onBlur={() => pointing.setState({ time: null })}
    />
  );
}
