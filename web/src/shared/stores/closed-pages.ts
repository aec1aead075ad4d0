// Pages whose tag was closed. State that outlives React for a page ends with its tag, not when the page is merely left.
type Listener = (address: string) => void;

const listeners = new Set<Listener>();

/** Hears of every page that is closed, by its address without search. */
export const onPageClosed = (listener: Listener) => void listeners.add(listener);

export function tellPageClosed(address: string) {
  for (const listener of listeners) listener(address);
}
