// How far an image is magnified and where it lies. Pure; 1 is the size that fits the page.

export const smallest = 0.25;
export const largest = 4;
const step = 0.25;

/** To the next step, within the bounds. */
export const toStep = (scale: number) =>
  Math.min(largest, Math.max(smallest, Math.round(scale / step) * step));

export const stepped = (scale: number, steps: number) => toStep(toStep(scale) + steps * step);

/** The effect of a double click: 1, 2, 4, and back to 1. */
export function cycled(scale: number): number {
  return [1, 2, 4].find((stop) => stop > scale) ?? 1;
}

export interface Place {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export const middle: Place = { x: 0, y: 0 };

const within = (value: number, most: number) => Math.min(most, Math.max(-most, value));

/** Keeps an edge of the image from being dragged past the middle of the page; `image` is its size at scale 1. */
export function held({ x, y }: Place, scale: number, image: Size, page: Size): Place {
  const room = (drawn: number, shown: number) => Math.max(0, (drawn * scale - shown) / 2);
  // `+ 0`: there is no minus zero in a style.
  return {
    x: within(x, room(image.width, page.width)) + 0,
    y: within(y, room(image.height, page.height)) + 0,
  };
}

/** Keeps the point under the finger in place while the scale changes; `at` is relative to the page's middle. */
export function around(place: Place, at: Place, from: number, to: number): Place {
  const ratio = to / from;
  return { x: at.x - (at.x - place.x) * ratio, y: at.y - (at.y - place.y) * ratio };
}

export const distance = (a: Place, b: Place) => Math.hypot(a.x - b.x, a.y - b.y);
