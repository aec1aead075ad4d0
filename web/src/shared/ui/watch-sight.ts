// Whether an element is in sight, as the reader scrolls.

/**
 * Tells whether `element` is in sight, now and whenever that changes, until the answer is called. `rootMargin`, in CSS
 * units, widens or narrows what counts as sight.
 */
export function watchSight(
  element: Element,
  onChange: (inSight: boolean) => void,
  rootMargin?: string,
): () => void {
  // A busy browser reports several changes at once, the latest last.
  const observer = new IntersectionObserver(
    (changes) => onChange(changes.at(-1)?.isIntersecting ?? false),
    rootMargin === undefined ? {} : { rootMargin },
  );
  observer.observe(element);
  return () => observer.disconnect();
}
