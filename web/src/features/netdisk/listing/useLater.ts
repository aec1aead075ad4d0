// What is asked for while all is selected and not all has come: done when it has.
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";

/**
 * Where the verb is kept that waits. `arrived` is called with it in the render that has all of it: a page's promise is
 * kept before the list shows that page. It is forgotten when all is no longer awaited, as when one is picked instead.
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
