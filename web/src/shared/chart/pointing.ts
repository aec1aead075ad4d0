// What the reader points at in charts that belong together: one moment for all of them, and the part of the time that
// was chosen by dragging.
import { createContext, useContext, useState } from "react";
import { createStore, type StoreApi, useStore } from "zustand";

/** In milliseconds since 1970. */
export type TimeRange = readonly [from: number, to: number];

export interface Pointing {
  time: number | null;
  /** Null: everything there is. */
  range: TimeRange | null;
}

export type PointingStore = StoreApi<Pointing>;

export const makePointing = (): PointingStore => createStore<Pointing>()(() => ({ time: null, range: null }));

const PointingContext = createContext<PointingStore | null>(null);

/** Charts below it share one moment and one range. */
export const SharePointing = PointingContext.Provider;

/** The store of the charts around, or one of this chart's own. */
export function usePointingStore(): PointingStore {
  const around = useContext(PointingContext);
  const [own] = useState(makePointing);
  return around ?? own;
}

export const usePointedTime = (store: PointingStore) => useStore(store, ({ time }) => time);
export const usePointedRange = (store: PointingStore) => useStore(store, ({ range }) => range);

/** A choice shorter than this share of what is shown was a click. */
const CLICK = 0.01;

/** Chooses what was dragged over, in either direction. */
export function chooseRange(store: PointingStore, a: number, b: number, shown: TimeRange) {
  const [from, to] = a < b ? [a, b] : [b, a];
  if (to - from < (shown[1] - shown[0]) * CLICK) return;
  store.setState({ range: [from, to] });
}
