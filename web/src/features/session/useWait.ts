import { useEffect, useState } from "react";
import type { ApiError } from "@/shared/api/problem";

/** Seconds until the server takes the next try, counted down from its `Retry-After`. */
export function useWait(error: ApiError | null): number {
  const [until, setUntil] = useState({ error, at: 0 });
  const [now, setNow] = useState(() => Date.now());
  if (until.error !== error) {
    const seconds = error?.status === 429 ? (error.retryAfter ?? 0) : 0;
    setUntil({ error, at: Date.now() + seconds * 1000 });
    setNow(Date.now());
  }
  const left = Math.max(0, Math.ceil((until.at - now) / 1000));
  const waiting = left > 0;
  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [waiting]);
  return left;
}
