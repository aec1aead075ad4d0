// Which router is in force: the visitors' or the role's. Changing it is what signing in and out does to the page. The
// old page stays until the first page of the new router is ready, so that nothing flashes.
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
 * Puts a router over these routes in force, at `address` or where the browser is. A later call overtakes.
 * `beforeChange` runs in the same moment as the change: the old page never renders with what it alters.
 */
export async function openRouter(routes: RouteObject[], address?: string, beforeChange?: () => void) {
  changes += 1;
  const mine = changes;
  const { router: old, generation } = useRouter.getState();
  // A page that was still opening must not open any more: it would put its address above that of the new router.
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

/** Takes the shown page away at once. */
export function closeRouter() {
  useRouter.getState().router?.dispose();
  useRouter.setState({ router: null });
}

/** Where the person is, or is about to be: a page that is still opening is the one that was wanted. */
export function wantedAddress(): string {
  const opening = useRouter.getState().router?.state.navigation.location;
  const { pathname, search, hash } = opening ?? location;
  return pathname + search + hash;
}

export const currentRouter = () => useRouter.getState().router;
