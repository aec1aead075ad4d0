// The login token: where it is kept and what its claims say. It lives in a cookie so that every tab has the same
// one; the server never reads that cookie (it wants the header), so a foreign page gains nothing by it.
import { daysFromNow, readCookie, removeCookie, writeCookie } from "@/shared/lib/cookies";

const cookie = "yunlab_token";

/** Tells this browser's other tabs that the cookie changed: browsers do not, everywhere. Carries nothing itself. */
const changed = new BroadcastChannel("yunlab-token");

export interface Claims {
  id: number;
  username: string;
  role: number;
  /** Seconds since the epoch. */
  exp: number;
  iat: number;
}

export function storedToken(): string | null {
  return readCookie(cookie) || null;
}

export function storeToken(token: string) {
  const { exp } = readClaims(token);
  writeCookie(cookie, token, { expires: exp > 0 ? new Date(exp * 1000) : daysFromNow(1) });
  tellTabs();
}

export function dropToken() {
  removeCookie(cookie);
  tellTabs();
}

function tellTabs() {
  // Browsers hand cookies to another process; reading it back waits until other tabs see it.
  storedToken();
  changed.postMessage(null);
}

/** Calls `listener` when another tab has stored or dropped the token; returns what stops that. */
export function onTokenChanged(listener: () => void): () => void {
  changed.addEventListener("message", listener);
  return () => changed.removeEventListener("message", listener);
}

function decode(part: string): unknown {
  const base64 = part.replace(/-/g, "+").replace(/_/g, "/");
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/**
 * Reads what the token says without checking its signature: the server does that on every call. A second form of
 * the token carries the person in a `user` object instead of at the top.
 */
export function readClaims(token: string): Claims {
  const parts = token.split(".");
  if (parts.length !== 3 || parts.some((part) => part === "")) throw new Error("token malformed");
  let body: unknown;
  try {
    body = decode(parts[1] ?? "");
  } catch {
    throw new Error("token malformed");
  }
  if (!isRecord(body)) throw new Error("token malformed");
  const person = isRecord(body.user) ? body.user : body;
  return {
    id: Number(person.id),
    username: typeof person.username === "string" ? person.username : "",
    role: Number(person.role),
    exp: Number(body.exp) || 0,
    iat: Number(body.iat) || 0,
  };
}

/** Whether both tokens are the same person's in the same role, so that one may take the other's place. */
export function isSamePerson(token: string, other: string): boolean {
  try {
    const [a, b] = [readClaims(token), readClaims(other)];
    return a.id === b.id && a.role === b.role;
  } catch {
    return false;
  }
}
