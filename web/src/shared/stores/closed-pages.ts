// Pages whose tag was closed. What lives on outside of React for a page ends with it, not when it is merely left.
type Listener = (address: string) => void;

const listeners = new Set<Listener>();

/** Hears of every page that is closed, by its address without search. */
export const onPageClosed = (listener: Listener) => void listeners.add(listener);

export function tellPageClosed(address: string) {
  for (const listener of listeners) listener(address);
}
