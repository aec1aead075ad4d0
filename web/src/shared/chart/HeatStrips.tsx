// One strip for each of several things over the same time, the stronger its colour the higher its value: lines would
// cover each other. Gaps stay empty. The values of the moment that the reader points at stand beside the strips.
import { type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { useUi } from "@/shared/stores/ui";
import { accentOf } from "@/shared/theme/accent";
import { palettes } from "@/shared/theme/tokens";
import { useScheme } from "@/shared/theme/use-scheme";
import type { ChartOf } from "./Chart";
import chart from "./Chart.module.css";
import styles from "./HeatStrips.module.css";
import { mixed } from "./mix";
import { chooseRange, type PointingStore, type TimeRange, usePointedTime } from "./pointing";
import { axisText, momentText, topOf } from "./scale";
import { columnsOf, highestOf, latestOf, spacingOf, summaryOf, valueAt } from "./series";

interface HeatStripsProps extends ChartOf {
  shown: TimeRange;
  pointing: PointingStore;
}

/** Pixels of a strip, without the gap below it. */
const STRIP = 14;
const GAP = 4;
/** A column is as wide as two pixels, which eyes still see. */
const COLUMN = 2;

export function HeatStrips({
  title,
  series,
  shown,
  max,
  format,
  bytes = false,
  least = 0,
  pointing,
}: HeatStripsProps) {
  const scheme = useScheme();
  const theme = useUi((ui) => ui.theme);
  const time = usePointedTime(pointing);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  const [dragged, setDragged] = useState<{ from: number; to: number } | null>(null);
  const [from, to] = shown;
  const spacing = spacingOf(series);
  const top = topOf({ max, highest: highestOf(series), base: bytes ? 1024 : 1000, whole: false });
  const colors = useMemo(() => {
    const { fill2 } = palettes[scheme];
    return { none: fill2, full: accentOf(theme, scheme).primaryText };
  }, [scheme, theme]);
  const height = series.length * (STRIP + GAP) - GAP;

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!canvas.current || !context || width === 0) return;
    const density = devicePixelRatio || 1;
    canvas.current.width = Math.round(width * density);
    canvas.current.height = Math.round(height * density);
    context.scale(density, density);
    context.clearRect(0, 0, width, height);
    const columns = Math.max(1, Math.floor(width / COLUMN));
    series.forEach((one, row) => {
      columnsOf(one, [from, to], columns, spacing).forEach((value, column) => {
        if (value === null) return;
        context.fillStyle = mixed(colors.none, colors.full, (value - least) / (top - least));
        context.fillRect((column * width) / columns, row * (STRIP + GAP), width / columns + 0.5, STRIP);
      });
    });
  }, [series, from, to, width, height, spacing, top, least, colors]);

  const timeAt = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return from + share * (to - from);
  };
  const shareOf = (at: number) => `${((at - from) / (to - from)) * 100}%`;
  const drag = dragged && { a: Math.min(dragged.from, dragged.to), b: Math.max(dragged.from, dragged.to) };

  return (
    <figure className={chart.chart}>
      <figcaption className={chart.head}>
        <span className={chart.title}>{title}</span>
        {time !== null && <span className={chart.moment}>{momentText(time, shown)}</span>}
        <span className={styles.legend}>
          {format(least)}
          <i style={{ background: `linear-gradient(90deg, ${colors.none}, ${colors.full})` }} />
          {format(top)}
        </span>
      </figcaption>
      <div className={styles.grid} style={{ gridAutoRows: STRIP }}>
        {series.map((one, row) => (
          <span key={one.name} className={styles.name} style={{ gridRow: row + 1 }}>
            {one.name}
          </span>
        ))}
        <div
          className={styles.place}
          style={{ gridRow: `1 / span ${series.length}` }}
          role="img"
          aria-label={summaryOf(title, series, format)}
          onPointerMove={(event) => {
            const at = timeAt(event);
            pointing.setState({ time: at });
            if (dragged) setDragged({ ...dragged, to: at });
          }}
          onPointerLeave={() => {
            pointing.setState({ time: null });
            setDragged(null);
          }}
          onPointerDown={(event) => {
            if (event.button !== 0 || event.pointerType === "touch") return;
            const at = timeAt(event);
            setDragged({ from: at, to: at });
          }}
          onPointerUp={() => {
            if (dragged) chooseRange(pointing, dragged.from, dragged.to, shown);
            setDragged(null);
          }}
          onDoubleClick={() => pointing.setState({ range: null })}
        >
          <canvas ref={canvas} style={{ height }} />
          {drag && (
            <span
              className={styles.dragged}
              style={{ left: shareOf(drag.a), right: `calc(100% - ${shareOf(drag.b)})` }}
            />
          )}
          {time !== null && time >= from && time <= to && (
            <span className={styles.line} style={{ left: shareOf(time) }} />
          )}
        </div>
        {series.map((one, row) => {
          const value = time === null ? latestOf(one) : valueAt(one, time, 1.5 * spacing);
          return (
            <b key={one.name} className={styles.value} style={{ gridRow: row + 1 }}>
              {value === undefined ? "—" : format(value)}
            </b>
          );
        })}
        <span className={styles.axis} style={{ gridRow: series.length + 1 }} aria-hidden="true">
          {[from, (from + to) / 2, to].map((at) => (
            <span key={at}>{axisText(at, shown)}</span>
          ))}
        </span>
      </div>
    </figure>
  );
}

/** How wide an element is, as it changes. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observed = element.current;
    if (!observed) return;
    const observer = new ResizeObserver(() => setWidth(observed.clientWidth));
    observer.observe(observed);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
