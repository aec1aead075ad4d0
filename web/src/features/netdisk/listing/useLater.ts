// Keeps an action that was requested while all is selected and not everything is loaded; runs it once it is.
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";

/**
 * The pending verb. `arrived` is called with it in the render that has all entries: a page's promise resolves before
 * the list shows that page. It is dropped when all is no longer selected, for example when one entry is picked instead.
 */
export function useLater<Verb>(
  awaited: boolean,
  complete: boolean,
  arrived: (verb: Verb | null) => void,
): RefObject<Verb | null> {
  const later = useRef<Verb | null>(null);
  const onArrived = useEffectEvent(() => arrived(later.current));
  useEffect(() => {
    if (awaited && complete) onArrived();
  }, [awaited, complete]);
  useEffect(() => {
    if (!awaited) later.current = null;
  }, [awaited]);
  return later;
}
