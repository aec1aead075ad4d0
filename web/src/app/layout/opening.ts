// What `index.html` shows until the first page stands: scripts and the session come first, over a slow line for seconds.

/** There is something to be seen by now. */
export function endOpening() {
  document.getElementById("splash")?.remove();
}
