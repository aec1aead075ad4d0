// The page's reaction to the end of the session, by the server or by the user.

import { hasSignedOut } from "@/shared/api/leaving";
import { onSessionEnd, type SessionEnd } from "@/shared/api/session-end";
import { signOut } from "@/shared/api/sign-out";
import { onTokenChanged, storedToken } from "@/shared/api/token";
import { loginAddress } from "@/shared/lib/return-to";
import { useSession } from "@/shared/stores/session";
import { showDisabled, showSessionExpired } from "../feedback";
import { wantedAddress } from "../routing/router-store";
import { followToken, leave } from "./guard";
import { watchIdle } from "./idle-end";

function handleEnd({ status, message, signedIn }: SessionEnd) {
  if (status === 403 && message.includes("禁用")) showDisabled(message);
  // A refused sign-in has no session to lose; its page shows the reason. An expired token is already gone from its
  // cookie, and the call was made without one: the session of this page still ends.
  const { token } = useSession.getState();
  if (!signedIn && token === null) return;
  // Calls that this page still makes while it signs out are refused, as expected.
  if (hasSignedOut(token)) return;
  // Refused because another user signed in in another tab, of which this page is about to be notified.
  if (storedToken() !== null) {
    followToken();
    return;
  }
  showSessionExpired();
  if (location.pathname !== "/login") leave(loginAddress(wantedAddress()));
}

/** Watches for the end of the session, by the server and by other tabs; returns a function that stops watching. */
export function watchSession() {
  const stops = [onSessionEnd(handleEnd), onTokenChanged(followToken), watchIdle(() => void endIdle())];
  return () => {
    for (const stop of stops) stop();
  };
}

/** After the next sign-in the user is on the same page again. */
async function endIdle() {
  const address = wantedAddress();
  await signOut();
  leave(loginAddress(address));
}

export async function logOut() {
  await signOut();
  leave("/login");
}
