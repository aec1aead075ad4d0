// The guard of the pages. Without a token only the public pages; with one, the profile is fetched, the role's routes
// are built once, and the navigation is repeated, so that a deep link works.
import { Modal } from "antd";
import { type LoaderFunctionArgs, redirect } from "react-router";
import { asApiError } from "@/shared/api/problem";
import { profileQuery } from "@/shared/api/profile";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { renewToken } from "@/shared/api/renew";
import { dropToken, isSamePerson, readClaims, storedToken } from "@/shared/api/token";
import { onReload } from "@/shared/lib/reload";
import { addressAfterLogin, forgetReturn, loginAddress } from "@/shared/lib/return-to";
import { clearSession, setSession, useSession } from "@/shared/stores/session";
import { showError, showSessionExpired } from "../feedback";
import { queryClient } from "../query-client";
import { roleRoutes, visitorRoutes } from "../routing/build-routes";
import { closeRouter, currentRouter, openRouter, wantedAddress } from "../routing/router-store";
import { clearTags, keepTags, restoreTags } from "../tags/tags";

function addressIn(request: Request): string {
  const { pathname, search } = new URL(request.url);
  // The router strips the fragment before the call; at the first load the browser still has it.
  return pathname + search + (location.pathname === pathname ? location.hash : "");
}

// Calls of a page that is being left are aborted, which says nothing about the session.
let leaving = false;
addEventListener("beforeunload", () => {
  leaving = true;
});
addEventListener("pagehide", () => {
  leaving = true;
});
addEventListener("pageshow", () => {
  leaving = false;
});

onReload(() => keepTags(useSession.getState().id));

/** A navigation that another router takes over: the page stays until that router is ready. */
const takenOver = () => new Promise<never>(() => {});

/** Fetches the profile and stores it in the session. Throws when the server refuses. */
async function identify() {
  await renewToken();
  const token = storedToken();
  if (!token) throw new Error("登录过期，重新登录...");
  const claims = readClaims(token);
  const profile = await queryClient.fetchQuery({ ...profileQuery(claims.id), staleTime: 0, retry: false });
  // Visitors do not see the version.
  if (!queryClient.getQueryData(publicSettingsQuery.queryKey)?.version)
    void queryClient.invalidateQueries({ queryKey: publicSettingsQuery.queryKey });
  setSession({
    token,
    exp: claims.exp,
    id: claims.id,
    username: profile.username,
    name: profile.name,
    avatar: profile.avatar,
    introduction: profile.introduction,
    role: claims.role,
  });
}

/** The role's routes, added once per session. */
function enter(address: string) {
  const { id, role, routerReset } = useSession.getState();
  if (!routerReset) return;
  setSession({ routerReset: false });
  restoreTags(id);
  forgetReturn();
  void openRouter(roleRoutes(role, keepSession), address);
}

/** Loader of /login and of every address that is not open to visitors. */
export async function enterFromGuard({ request }: LoaderFunctionArgs) {
  const address = addressIn(request);
  const atLogin = new URL(request.url).pathname === "/login";
  if (!storedToken()) return atLogin ? null : redirect(loginAddress(address));
  if (atLogin) return redirect("/");
  try {
    await identify();
  } catch (error) {
    const problem = asApiError(error);
    // A refused session has had its warning and is on its way to the login page (session-events).
    if (problem.status === 401 || problem.status === 403) return takenOver();
    if (problem.status === 0 && leaving) return takenOver();
    dropToken();
    clearSession();
    showError(problem.message);
    return redirect(loginAddress(address));
  }
  enter(address);
  return takenOver();
}

/** Loader above every page of the role's router: the session must still be the one that the router was built for. */
export function keepSession({ request }: LoaderFunctionArgs) {
  if (isSameSession()) return null;
  const address = addressIn(request);
  if (storedToken()) {
    switchAccount(address);
  } else {
    // Going to /login itself is leaving on purpose.
    if (!address.startsWith("/login")) showSessionExpired();
    leave(loginAddress(address));
  }
  return takenOver();
}

function isSameSession(): boolean {
  const stored = storedToken();
  const own = useSession.getState().token;
  return stored !== null && own !== null && isSamePerson(own, stored);
}

/** Forgets all data of the former user. */
function forget() {
  Modal.destroyAll();
  clearSession();
  clearTags();
  queryClient.clear();
}

/** Ends the session on this page and opens the visitors' routes at `address`. */
export function leave(address: string) {
  void openRouter(visitorRoutes(enterFromGuard), address, forget);
}

/** Another user signed in in another tab: their session begins here too, with the requested page. */
function switchAccount(address: string) {
  closeRouter();
  forget();
  void openRouter(visitorRoutes(enterFromGuard), address);
}

/**
 * Another tab signed in, signed out, or renewed the token: this page follows at once, so that it makes no calls as
 * another user.
 */
export function followToken() {
  const token = storedToken();
  const signedIn = useSession.getState().token !== null;
  if (signedIn) {
    if (isSameSession()) return;
    if (token) {
      switchAccount(wantedAddress());
    } else {
      showSessionExpired();
      leave(loginAddress(wantedAddress()));
    }
  } else if (token && location.pathname === "/login") {
    const wanted = new URLSearchParams(location.search).get("redirect");
    void currentRouter()?.navigate(addressAfterLogin(wanted));
  }
}

/** Starts the first router. A user with a token passes the guard from there. */
export function startRouting() {
  return openRouter(visitorRoutes(enterFromGuard));
}
