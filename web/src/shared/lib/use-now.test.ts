import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useNow } from "./use-now";

describe("the present", () => {
  beforeEach(() => vi.useFakeTimers({ now: new Date("2026-11-24T10:00:00Z") }));
  afterEach(() => vi.useRealTimers());

  it("goes on while the page stays open, and not after it was left", () => {
    const { result, unmount } = renderHook(() => useNow(1000));
    expect(result.current.toISOString()).toBe("2026-11-24T10:00:00.000Z");
    act(() => vi.advanceTimersByTime(26_000));
    expect(result.current.toISOString()).toBe("2026-11-24T10:00:26.000Z");
    unmount();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is asked for seldom where it changes little", () => {
    const { result } = renderHook(() => useNow(30_000));
    act(() => vi.advanceTimersByTime(29_000));
    expect(result.current.toISOString()).toBe("2026-11-24T10:00:00.000Z");
    act(() => vi.advanceTimersByTime(1000));
    expect(result.current.toISOString()).toBe("2026-11-24T10:00:30.000Z");
  });
});
