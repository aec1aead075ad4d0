// The end of the session by the server. This module only decides and drops the token; the app listens and navigates,
// because neither navigation nor messages belong to an API client.
import { dropToken, storedToken } from "./token";

export interface SessionEnd {
  status: number;
  message: string;
  /** The call carried a token, so there was a session to lose. */
  signedIn: boolean;
}

type Listener = (end: SessionEnd) => void;

const listeners = new Set<Listener>();

export function onSessionEnd(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Called with the token of the refused request; another tab may have stored a newer one since. */
export function endSession(sent: string | null, status: number, message: string) {
  if (sent && storedToken() === sent) dropToken();
  for (const listener of listeners) listener({ status, message, signedIn: sent !== null });
}
