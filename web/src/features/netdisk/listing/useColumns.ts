// The number of cards per row: as many of about 300 px as fit; on a phone two.
import { type RefObject, useLayoutEffect, useState } from "react";

const wide = 300;
const narrow = 160;

export const columnsIn = (width: number) =>
  width < 2 * wide ? Math.max(1, Math.floor(width / narrow)) : Math.floor(width / wide);

export function useColumns(place: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(3);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => setColumns(columnsIn(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return columns;
}
