import { act, renderHook } from "@testing-library/react";
import type { PointerEvent } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useZoom } from "./useZoom";

/** An image of 100 × 100 in a page of the same size, whose width can be changed. */
function setUp() {
  const image = document.createElement("img");
  const page = document.createElement("div");
  let width = 100;
  for (const element of [image, page]) {
    Object.defineProperty(element, "offsetHeight", { get: () => 100 });
    Object.defineProperty(element, "offsetWidth", { get: () => (element === page ? width : 100) });
    element.setPointerCapture = () => {};
  }
  const onSwipe = vi.fn();
  const { result } = renderHook(() =>
    useZoom({ image: { current: image }, page: { current: page }, onSwipe }),
  );
  const pointer = (pointerId: number, clientX: number) =>
    ({
      pointerId,
      pointerType: "touch",
      clientX,
      clientY: 0,
      timeStamp: 0,
      currentTarget: page,
    }) as unknown as PointerEvent;
  return {
    result,
    onSwipe,
    down: (id: number, x: number) => act(() => result.current.handlers.onPointerDown(pointer(id, x))),
    move: (id: number, x: number) => act(() => result.current.handlers.onPointerMove(pointer(id, x))),
    up: (id: number, x: number) => act(() => result.current.handlers.onPointerUp(pointer(id, x))),
    resize: (to: number) => {
      width = to;
      dispatchEvent(new Event("resize"));
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("S401", () => {
  it("fits the image to a page of another size 100 ms after the last change", () => {
    const { result, down, move, up, resize } = setUp();
    act(() => result.current.zoomBy(4));
    down(1, 0);
    move(1, 50);
    up(1, 50);
    expect(result.current.view).toEqual({ scale: 2, place: { x: 50, y: 0 } });
    resize(180);
    act(() => vi.advanceTimersByTime(99));
    resize(180);
    act(() => vi.advanceTimersByTime(99));
    expect(result.current.view.place.x).toBe(50);
    act(() => vi.advanceTimersByTime(1));
    expect(result.current.view.place.x).toBe(10);
  });

  it("takes the finger that leaves last for no swipe until 200 ms after a pinch", () => {
    const { result, onSwipe, down, move, up } = setUp();
    down(1, 0);
    down(2, 50);
    move(2, 100);
    expect(result.current.view.scale).toBe(2);
    up(2, 100);
    up(1, 0);
    act(() => result.current.reset());
    vi.advanceTimersByTime(150);
    down(1, 100);
    up(1, 0);
    expect(onSwipe).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60);
    down(1, 100);
    up(1, 0);
    expect(onSwipe).toHaveBeenCalledWith("next");
  });
});
