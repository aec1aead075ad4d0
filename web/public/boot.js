// Runs before the first paint: the chosen theme mode must be known before the ground is drawn. Kept as a file
// of its own, because a strict content security policy allows no inline script.
(() => {
  let mode = "system";
  try {
    mode = JSON.parse(localStorage.getItem("ui_settings") || "{}").mode || mode;
  } catch {
    // A damaged entry means the default; the page itself rewrites it on the next change.
  }
  const dark = mode === "dark" || (mode === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
})();
