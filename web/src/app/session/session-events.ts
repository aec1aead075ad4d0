// What the page does when the server ends the session, and when the user does.

import { hasSignedOut } from "@/shared/api/leaving";
import { onSessionEnd, type SessionEnd } from "@/shared/api/session-end";
import { signOut } from "@/shared/api/sign-out";
import { onTokenChanged, storedToken } from "@/shared/api/token";
import { loginAddress } from "@/shared/lib/return-to";
import { useSession } from "@/shared/stores/session";
import { showDisabled, showSessionExpired } from "../feedback";
import { wantedAddress } from "../routing/router-store";
import { followToken, leave } from "./guard";

function handleEnd({ status, message, signedIn }: SessionEnd) {
  if (status === 403 && message.includes("禁用")) showDisabled(message);
  // A refused sign-in has no session to lose; its page says what is wrong. A token that ran out by its time is gone
  // from its cookie, and the call went without one: the session of this page still ends.
  const { token } = useSession.getState();
  if (!signedIn && token === null) return;
  // What this page still asks while it signs out is refused, as it should be.
  if (hasSignedOut(token)) return;
  // Refused because somebody else signed in in another tab, which this page is about to hear.
  if (storedToken() !== null) {
    followToken();
    return;
  }
  showSessionExpired();
  if (location.pathname !== "/login") leave(loginAddress(wantedAddress()));
}

/** Watches for the end of the session, from the server and from other tabs; returns what stops that. */
export function watchSession() {
  const stops = [onSessionEnd(handleEnd), onTokenChanged(followToken)];
  return () => {
    for (const stop of stops) stop();
  };
}

export async function logOut() {
  await signOut();
  leave("/login");
}
