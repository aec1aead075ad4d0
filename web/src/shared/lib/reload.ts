// Reloads of the page by the page itself, before which others may store what should outlive it.

type Listener = () => void;

const listeners = new Set<Listener>();

/** Called before each such reload; returns a function that stops it. */
export function onReload(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Loads the present address anew. With unsaved work the browser asks, and the user may stay. */
export function reloadPage() {
  for (const listener of listeners) listener();
  location.reload();
}
