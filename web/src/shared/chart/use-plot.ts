// An element that uPlot draws lines in. It is loaded once the element is about to be visible, follows its size and is
// removed with it. Pointing and dragging go through the store that the charts share.
import { useEffect, useRef } from "react";
import type uPlotType from "uplot";
import { loadPart } from "@/shared/parts/missing-part";
import { font, fontSans, palettes, type Scheme } from "@/shared/theme/tokens";
import { watchSight } from "../ui/watch-sight";
import { chooseRange, type PointingStore, type TimeRange } from "./pointing";
import { axisText, marksOf } from "./scale";
import type { Series } from "./series";

/** So near to the window a chart is drawn. */
const nearPx = 200;
const SECOND = 1000;

export interface PlotLook {
  colors: readonly string[];
  dashes: readonly (readonly number[])[];
  scheme: Scheme;
}

export interface Plot {
  series: readonly Series[];
  shown: TimeRange;
  top: number;
  format: (value: number) => string;
  look: PlotLook;
  pointing: PointingStore;
}

type Engine = typeof import("./engine")["uPlot"];

/** The latest plot: the library keeps its functions for as long as the chart stands. */
type Latest = () => Plot;

function axesOf(latest: Latest): uPlotType.Axis[] {
  const { look, top, format } = latest();
  const palette = palettes[look.scheme];
  const axis = {
    stroke: palette.text3,
    font: `${font.xs}px ${fontSans}`,
    ticks: { show: false },
    gap: 4,
  };
  return [
    {
      ...axis,
      grid: { show: false },
      size: 20,
      space: 64,
      values: (_, splits) => splits.map((at) => axisText(at * SECOND, latest().shown)),
    },
    {
      ...axis,
      grid: { stroke: palette.split, width: 1 },
      // As wide as its longest label.
      size: 10 + Math.max(...marksOf(top).map((mark) => widthOf(format(mark)))),
      splits: () => marksOf(latest().top),
      values: (_, splits) => splits.map((mark) => latest().format(mark)),
    },
  ];
}

function linesOf({ series, look: { colors, dashes, scheme } }: Plot): uPlotType.Series[] {
  return series.map(({ name }, index) => {
    const color = colors[index % colors.length] ?? palettes[scheme].text3;
    return {
      label: name,
      stroke: color,
      width: 1.5,
      dash: [...(dashes[index % dashes.length] ?? [])],
      points: { show: false },
      spanGaps: false,
      ...(series.length === 1 && { fill: `${color}1a` }),
    };
  });
}

function hooksOf(latest: Latest): uPlotType.Hooks.Arrays {
  const { pointing } = latest();
  return {
    setCursor: [
      (plot) => {
        // A moment that another chart set is not sent back.
        if (!plot.over.matches(":hover")) return;
        const { left = -1 } = plot.cursor;
        pointing.setState({ time: left < 0 ? null : plot.posToVal(left, "x") * SECOND });
      },
    ],
    setSelect: [
      (plot) => {
        const { left, width } = plot.select;
        if (width < 2) return;
        const at = (position: number) => plot.posToVal(position, "x") * SECOND;
        chooseRange(pointing, at(left), at(left + width), latest().shown);
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      },
    ],
    ready: [
      (plot) => {
        plot.over.addEventListener("mouseleave", () => pointing.setState({ time: null }));
        plot.over.addEventListener("dblclick", () => pointing.setState({ range: null }));
      },
    ],
  };
}

function optionsOf(latest: Latest, size: Size): uPlotType.Options {
  return {
    ...size,
    padding: [8, 4, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: true, range: () => [latest().shown[0] / SECOND, latest().shown[1] / SECOND] },
      y: { range: () => [0, latest().top] },
    },
    axes: axesOf(latest),
    series: [{}, ...linesOf(latest())],
    cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false, setScale: false } },
    hooks: hooksOf(latest),
  };
}

/** About as wide as a label is drawn: Latin letters take half of a Chinese one. */
function widthOf(label: string): number {
  return Array.from(label).reduce((sum, char) => sum + (char > "\u2e80" ? font.xs : font.xs * 0.58), 0);
}

interface Size {
  width: number;
  height: number;
}

/** How uPlot joins: nulls stay, or take in what is missing beside them. */
const KEEP_NULLS = 1;
const EXPAND_NULLS = 2;

/** The series over one common list of times, in seconds. */
function dataOf(engine: Engine, series: readonly Series[]): uPlotType.AlignedData {
  const tables = series.map(
    ({ points }): uPlotType.AlignedData => [
      points.map(([time]) => time / SECOND),
      points.map(([, value]) => value),
    ],
  );
  const [first] = tables;
  if (!first) return [[]];
  // The others' moments inside of a gap belong to it.
  return tables.length === 1
    ? first
    : engine.join(
        tables,
        tables.map(() => [KEEP_NULLS, EXPAND_NULLS]),
      );
}

export function usePlot(plot: Plot) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(plot);
  const chart = useRef<{ plot: uPlotType; engine: Engine } | null>(null);
  const { series, look, shown, top, pointing } = plot;
  const structure = series.map(({ name }) => name).join("\n");
  latest.current = plot;

  // Anew when lines come or go, or look otherwise; everything else is only redrawn.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `structure` stands for the series' names
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let gone = false;
    const sizeOf = () => ({ width: element.clientWidth, height: element.clientHeight });
    const leave = watchSight(
      element,
      (near) => {
        if (!near) return;
        leave();
        void loadPart(() => import("./engine")).then(
          ({ uPlot: engine }) => {
            if (gone) return;
            const options = optionsOf(() => latest.current, sizeOf());
            const made = new engine(options, dataOf(engine, latest.current.series), element);
            chart.current = { plot: made, engine };
          },
          // The text beside it says the same.
          () => {},
        );
      },
      `${nearPx}px`,
    );
    const resize = new ResizeObserver(() => chart.current?.plot.setSize(sizeOf()));
    resize.observe(element);
    const stop = pointing.subscribe(({ time }) => {
      const shownPlot = chart.current?.plot;
      if (!shownPlot || shownPlot.over.matches(":hover")) return;
      const left = time === null ? -10 : shownPlot.valToPos(time / SECOND, "x");
      shownPlot.setCursor({ left, top: left < 0 ? -10 : 1 }, false);
    });
    return () => {
      gone = true;
      leave();
      stop();
      resize.disconnect();
      chart.current?.plot.destroy();
      chart.current = null;
    };
  }, [structure, look, pointing]);

  useEffect(() => {
    const drawn = chart.current;
    if (!drawn) return;
    drawn.plot.setData(dataOf(drawn.engine, series));
  }, [series]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the scales' functions read them
  useEffect(() => {
    chart.current?.plot.redraw(true, true);
    chart.current?.plot.setScale("x", { min: shown[0] / SECOND, max: shown[1] / SECOND });
  }, [shown[0], shown[1], top]);

  return place;
}
