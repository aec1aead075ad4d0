// A value that has not changed for a while, for questions that are not to be asked at every key.
import { useEffect, useState } from "react";

/** The latest value that stood for this long, in milliseconds. */
export function useSettled<T>(value: T, after: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), after);
    return () => clearTimeout(timer);
  }, [value, after]);
  return settled;
}
