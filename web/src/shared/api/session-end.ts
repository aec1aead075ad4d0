// How the session ends when the server says so. This module only decides and forgets the token; the app listens
// and moves the page, because neither navigation nor messages belong to the client of an API.
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

/** Call with the token that the refused request carried; another tab may have stored a better one since. */
export function endSession(sent: string | null, status: number, message: string) {
  if (sent && storedToken() === sent) dropToken();
  for (const listener of listeners) listener({ status, message, signedIn: sent !== null });
}
