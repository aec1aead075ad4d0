// The rows of a table that are in sight, read group by group while it is scrolled.
import { useEffect, useReducer, useRef } from "react";

interface LazyRowsInput {
  groupSize: number;
  read: (group: number) => Promise<readonly (readonly string[])[]>;
  onError: (cause: unknown) => void;
}

/** Groups that are kept for drawing; reading one again is cheap. */
const mostGroups = 60;

/** Another `key` is another table. */
export function useLazyRows(key: string, { groupSize, read, onError }: LazyRowsInput) {
  const groups = useRef(new Map<number, readonly (readonly string[])[]>());
  const asked = useRef(new Set<number>());
  const present = useRef(key);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    present.current = key;
    groups.current.clear();
    asked.current.clear();
    redraw();
  }, [key]);

  async function fetchGroup(group: number) {
    asked.current.add(group);
    try {
      const rows = await read(group);
      if (present.current !== key) return;
      groups.current.delete(group);
      groups.current.set(group, rows);
      const [oldest] = groups.current.keys();
      if (groups.current.size > mostGroups && oldest !== undefined) groups.current.delete(oldest);
      redraw();
    } catch (cause) {
      if (present.current === key) onError(cause);
    } finally {
      if (present.current === key) asked.current.delete(group);
    }
  }

  return {
    rowAt: (index: number) => groups.current.get(Math.floor(index / groupSize))?.[index % groupSize],
    /** Reads what is missing of these rows. */
    show(first: number, last: number) {
      for (let group = Math.floor(first / groupSize); group <= Math.floor(last / groupSize); group += 1) {
        const known = groups.current.get(group);
        // A group that was read while its rows were still being found lacks some.
        const whole = known && (known.length === groupSize || known.length > last - group * groupSize);
        if (!whole && !asked.current.has(group)) void fetchGroup(group);
      }
    },
  };
}
