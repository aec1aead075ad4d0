// An element that ECharts draws in; ECharts is loaded once the element is about to be visible, follows its size and is
// disposed with it.
import { useCallback, useEffect, useRef } from "react";
import { fixed, font, fontSans, palettes, type Scheme } from "@/shared/theme/tokens";
import { watchSight } from "../ui/watch-sight";

type Instance = Awaited<ReturnType<typeof import("./engine")["init"]>>;
type Option = Parameters<Instance["setOption"]>[0];

/** So near to the window a chart is drawn. */
const nearPx = 200;

export function useEngine() {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Instance | null>(null);
  const latest = useRef<Option | null>(null);

  const draw = useCallback((option: Option) => {
    latest.current = option;
    chart.current?.setOption(option, { replaceMerge: ["series"] });
  }, []);

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let gone = false;
    const leave = watchSight(
      element,
      (near) => {
        if (!near) return;
        leave();
        void import("./engine").then(({ init }) => {
          if (gone) return;
          chart.current = init(element);
          if (latest.current) draw(latest.current);
        });
      },
      `${nearPx}px`,
    );
    const resize = new ResizeObserver(() => chart.current?.resize());
    resize.observe(element);
    return () => {
      gone = true;
      leave();
      resize.disconnect();
      chart.current?.dispose();
      chart.current = null;
    };
  }, [draw]);

  return { place, draw };
}

export const labelOf = (scheme: Scheme) => ({
  color: palettes[scheme].text3,
  fontSize: font.xs,
  fontFamily: fontSans,
});

export const tooltipOf = (scheme: Scheme, format: (value: number) => string) => ({
  trigger: "axis" as const,
  confine: true,
  backgroundColor: palettes[scheme].tooltip,
  borderWidth: 0,
  textStyle: { ...labelOf(scheme), color: fixed.tooltipText },
  valueFormatter: (value: unknown) => (typeof value === "number" ? format(value) : "—"),
});
