// The present router: the visitors' or the role's. Signing in and out changes it. The old page stays until the first
// page of the new router is ready, so that nothing flashes.
import { createBrowserRouter, type RouteObject } from "react-router";
import { create } from "zustand";

type Router = ReturnType<typeof createBrowserRouter>;

interface RouterState {
  router: Router | null;
  /** Counts the routers, so that React starts afresh with each. */
  generation: number;
}

export const useRouter = create<RouterState>()(() => ({ router: null, generation: 0 }));

let changes = 0;

function ready(router: Router): Promise<void> {
  return new Promise((resolve) => {
    const idle = () => router.state.initialized && router.state.navigation.state === "idle";
    if (idle()) {
      resolve();
      return;
    }
    const stop = router.subscribe(() => {
      if (!idle()) return;
      stop();
      resolve();
    });
  });
}

/**
 * Switches to a router over these routes, at `address` or the browser's present one. A later call overtakes.
 * `beforeChange` runs together with the switch: the old page never renders with its effects.
 */
export async function openRouter(routes: RouteObject[], address?: string, beforeChange?: () => void) {
  changes += 1;
  const mine = changes;
  const { router: old, generation } = useRouter.getState();
  // A page that was still loading must not open any more: its path would replace the new router's.
  old?.dispose();
  if (address !== undefined) history.replaceState(null, "", location.origin + address);
  const router = createBrowserRouter(routes);
  if (old) await ready(router);
  if (mine !== changes) {
    router.dispose();
    return;
  }
  // The old page could still be clicked, which changes the address.
  const { pathname, search, hash } = router.state.location;
  history.replaceState(history.state, "", location.origin + pathname + search + hash);
  beforeChange?.();
  useRouter.setState({ router, generation: generation + 1 });
}

/** Removes the shown page at once. */
export function closeRouter() {
  useRouter.getState().router?.dispose();
  useRouter.setState({ router: null });
}

/** The requested path: of the page that is loading, if there is one, otherwise of the shown one. */
export function wantedAddress(): string {
  const opening = useRouter.getState().router?.state.navigation.location;
  const { pathname, search, hash } = opening ?? location;
  return pathname + search + hash;
}

export const currentRouter = () => useRouter.getState().router;
