// What `index.html` shows until the first page is rendered: scripts and the session load first, which takes seconds on
// a slow connection.

/** There is something to be seen by now. */
export function endOpening() {
  document.getElementById("splash")?.remove();
}
