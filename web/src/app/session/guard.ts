// The door. Without a token only the open pages; with one, the profile is fetched, the role's routes are built once,
// and the navigation is tried again, so that a deep link lands where it pointed.
import { Modal } from "antd";
import { type LoaderFunctionArgs, redirect } from "react-router";
import { asApiError } from "@/shared/api/problem";
import { profileQuery } from "@/shared/api/profile";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { renewToken } from "@/shared/api/renew";
import { dropToken, isSamePerson, readClaims, storedToken } from "@/shared/api/token";
import { addressAfterLogin, forgetReturn, loginAddress } from "@/shared/lib/return-to";
import { clearSession, setSession, useSession } from "@/shared/stores/session";
import { showError, showSessionExpired } from "../feedback";
import { queryClient } from "../query-client";
import { roleRoutes, visitorRoutes } from "../routing/build-routes";
import { closeRouter, currentRouter, openRouter, wantedAddress } from "../routing/router-store";
import { clearTags } from "../tags/tags";

function addressIn(request: Request): string {
  const { pathname, search } = new URL(request.url);
  // The router strips the fragment before it calls; at the first load the browser still has it.
  return pathname + search + (location.pathname === pathname ? location.hash : "");
}

// A page that is being left has its calls broken off; that says nothing of the session.
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

/** A navigation that another router takes over: the page stays as it is until that one is ready. */
const takenOver = () => new Promise<never>(() => {});

/** Fetches who this is and puts it into the session. Throws when the server will not say. */
async function identify() {
  await renewToken();
  const token = storedToken();
  if (!token) throw new Error("登录过期，重新登录...");
  const claims = readClaims(token);
  const profile = await queryClient.fetchQuery({ ...profileQuery(claims.id), staleTime: 0, retry: false });
  // Strangers are not told the version.
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
  const { role, routerReset } = useSession.getState();
  if (!routerReset) return;
  setSession({ routerReset: false });
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

/** Loader above every page of the role's router: the session must still be the one that it was built for. */
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

/** Forgets everything of the person who was signed in. */
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

/** Somebody else signed in in another tab: their session begins here too, with the page that was asked for. */
function switchAccount(address: string) {
  closeRouter();
  forget();
  void openRouter(visitorRoutes(enterFromGuard), address);
}

/** Another tab signed in, out, or renewed the token: this page follows at once, so that it never asks as another. */
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

/** Puts the first router in force. Whoever has a token passes the guard from there. */
export function startRouting() {
  return openRouter(visitorRoutes(enterFromGuard));
}
