// What the app does about the line to the portal: listens to the browser's network, and asks anew for everything shown
// once the portal answers again.
import { useLine, watchBrowserNetwork } from "@/shared/api/line";
import { queryClient } from "./query-client";

/** Returns a function that stops it. */
export function followLine() {
  const stops = [
    watchBrowserNetwork(),
    useLine.subscribe((now, before) => {
      if (before.lost && !now.lost) void queryClient.invalidateQueries();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
