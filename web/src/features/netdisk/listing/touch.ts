// Whether a click or a long press came from a finger.
import type { MouseEvent } from "react";

export const isTouch = ({ nativeEvent }: MouseEvent) =>
  nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "touch";
