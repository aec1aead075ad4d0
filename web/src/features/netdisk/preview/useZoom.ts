// Zooming and moving an image: double click and double touch, wheel, drag, pinch; and a swipe that leads to the next.
import {
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { doubleTouchMs } from "../listing/selection";
import { around, cycled, distance, held, middle, type Place, stepped, toStep } from "./zoom";

/** After a pinch the last finger leaves a moment later: that is no drag and no touch. */
const pinchLockMs = 200;
const resizeDebounceMs = 100;
/** How far a finger has to go sideways to turn the page. */
const swipe = 60;

interface ZoomInput {
  image: RefObject<HTMLImageElement | null>;
  page: RefObject<HTMLElement | null>;
  onSwipe: (direction: "next" | "previous") => void;
}

interface View {
  scale: number;
  place: Place;
}

const whole: View = { scale: 1, place: middle };

const at = ({ clientX, clientY }: { clientX: number; clientY: number }): Place => ({
  x: clientX,
  y: clientY,
});

export function useZoom({ image, page, onSwipe }: ZoomInput) {
  const [view, setView] = useState(whole);
  const fingers = useRef(new Map<number, Place>());
  const pinch = useRef<{ distance: number; scale: number } | null>(null);
  const drag = useRef<{ from: Place; start: Place } | null>(null);
  const lockedUntil = useRef(0);
  const lastTouch = useRef(0);

  function fitted({ scale, place }: View): View {
    const size = (element: HTMLElement | null) => ({
      width: element?.offsetWidth ?? 0,
      height: element?.offsetHeight ?? 0,
    });
    return { scale, place: held(place, scale, size(image.current), size(page.current)) };
  }

  function fromMiddle(point: Place): Place {
    const box = page.current?.getBoundingClientRect();
    return box ? { x: point.x - box.left - box.width / 2, y: point.y - box.top - box.height / 2 } : middle;
  }

  function zoomTo(next: number, point?: Place) {
    setView(({ scale, place }) =>
      fitted({ scale: next, place: point ? around(place, fromMiddle(point), scale, next) : place }),
    );
  }

  const onWheel = useEffectEvent((event: WheelEvent) => {
    // Otherwise Ctrl and the wheel would zoom the whole page.
    event.preventDefault();
    if (event.deltaY !== 0) zoomTo(stepped(view.scale, event.deltaY < 0 ? 1 : -1), at(event));
  });

  useEffect(() => {
    const element = page.current;
    if (!element) return;
    const listen = (event: WheelEvent) => onWheel(event);
    // React listens to the wheel passively, which cannot keep the page from scrolling.
    element.addEventListener("wheel", listen, { passive: false });
    return () => element.removeEventListener("wheel", listen);
  }, [page]);

  const onResize = useEffectEvent(() => setView(fitted));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const resized = () => {
      clearTimeout(timer);
      timer = setTimeout(() => onResize(), resizeDebounceMs);
    };
    addEventListener("resize", resized);
    return () => {
      clearTimeout(timer);
      removeEventListener("resize", resized);
    };
  }, []);

  function onPointerDown(event: PointerEvent) {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    fingers.current.set(event.pointerId, at(event));
    const [a, b] = fingers.current.values();
    if (a && b) {
      pinch.current = { distance: distance(a, b), scale: view.scale };
      drag.current = null;
    } else if (performance.now() >= lockedUntil.current)
      drag.current = { from: at(event), start: view.place };
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.setPointerCapture(event.pointerId);
  }

  function onPointerMove(event: PointerEvent) {
    if (!fingers.current.has(event.pointerId)) return;
    fingers.current.set(event.pointerId, at(event));
    const [a, b] = fingers.current.values();
    if (pinch.current && a && b) {
      const { distance: start, scale } = pinch.current;
      const next = toStep((scale * distance(a, b)) / Math.max(1, start));
      if (next !== view.scale) zoomTo(next, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
    } else if (drag.current && view.scale > 1) {
      const { from, start } = drag.current;
      const place = { x: start.x + event.clientX - from.x, y: start.y + event.clientY - from.y };
      setView(({ scale }) => fitted({ scale, place }));
    }
  }

  function onPointerUp(event: PointerEvent) {
    if (!fingers.current.delete(event.pointerId)) return;
    if (pinch.current) {
      if (fingers.current.size < 2) {
        pinch.current = null;
        lockedUntil.current = performance.now() + pinchLockMs;
      }
      return;
    }
    const moved = drag.current;
    drag.current = null;
    if (moved && event.pointerType === "touch") touched(event, moved.from);
  }

  function touched(event: PointerEvent, from: Place) {
    const way = { x: event.clientX - from.x, y: event.clientY - from.y };
    if (view.scale <= 1 && Math.abs(way.x) >= swipe && Math.abs(way.x) > 2 * Math.abs(way.y)) {
      onSwipe(way.x < 0 ? "next" : "previous");
      return;
    }
    if (Math.hypot(way.x, way.y) > 10) return;
    const double = event.timeStamp - lastTouch.current <= doubleTouchMs;
    lastTouch.current = double ? 0 : event.timeStamp;
    if (double) zoomTo(cycled(view.scale), at(event));
  }

  function onPointerCancel(event: PointerEvent) {
    fingers.current.delete(event.pointerId);
    pinch.current = null;
    drag.current = null;
  }

  /** Browsers also make a double click of two touches, which were already handled. */
  function onDoubleClick(event: MouseEvent) {
    if (lastTouch.current === 0 && performance.now() - lockedUntil.current > pinchLockMs && !isTouch(event))
      zoomTo(cycled(view.scale), at(event));
  }

  return {
    view,
    reset: () => setView(whole),
    zoomBy: (steps: number) => zoomTo(stepped(view.scale, steps)),
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onDoubleClick },
  };
}

const isTouch = ({ nativeEvent }: MouseEvent) =>
  "pointerType" in nativeEvent && nativeEvent.pointerType === "touch";
