// Whether an element is in sight, as the reader scrolls.

/**
 * Reports whether `element` is visible, now and on every change, until the returned function is called. `rootMargin`,
 * in CSS units, grows or shrinks the visible area.
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
