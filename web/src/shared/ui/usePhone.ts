// Whether the window is a phone's: under 768 px tables become cards and labels stand above their fields.
import { useSyncExternalStore } from "react";

const query = "(max-width: 767px)";

function subscribe(changed: () => void): () => void {
  const media = window.matchMedia(query);
  media.addEventListener("change", changed);
  return () => media.removeEventListener("change", changed);
}

export function usePhone(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
