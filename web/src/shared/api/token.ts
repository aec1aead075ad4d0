// The login token: its storage and its claims. Local storage belongs to one origin with its port; a cookie would be
// sent to every port of the host, including those of users' instances.
import { removeCookie } from "@/shared/lib/cookies";

const key = "login_token";

/** The token in a browser that refuses local storage: it serves this tab until the next reload. */
let unstored: string | null = null;

/** Notifies this browser's other tabs of a change. Carries nothing itself. */
const changed = new BroadcastChannel("yunlab-token");

// Earlier versions stored the token in this cookie. It is not read: a page on any port of the host may have set it.
removeCookie("yunlab_token");

export interface Claims {
  id: number;
  username: string;
  role: number;
  /** Seconds since the epoch. */
  exp: number;
  iat: number;
}

/** The stored token; `null` if there is none or it has expired. */
export function storedToken(): string | null {
  const token = readStorage() ?? unstored;
  return token && !hasExpired(token) ? token : null;
}

export function storeToken(token: string) {
  try {
    localStorage.setItem(key, token);
    unstored = null;
  } catch {
    unstored = token;
  }
  changed.postMessage(null);
}

export function dropToken() {
  unstored = null;
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing is stored where storage is refused.
  }
  changed.postMessage(null);
}

function readStorage(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** A malformed token does not count as expired: the page that reads it reports its fault. */
function hasExpired(token: string): boolean {
  try {
    const { exp } = readClaims(token);
    return exp > 0 && exp * 1000 <= Date.now();
  } catch {
    return false;
  }
}

/** Calls `listener` when another tab has stored or dropped the token; returns a function that unsubscribes. */
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
 * Reads the token's claims without checking its signature: the server does that on every call. A second form of the
 * token has the user in a `user` object instead of at the top level.
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

/** Whether both tokens belong to the same user in the same role, so that one may replace the other. */
export function isSamePerson(token: string, other: string): boolean {
  try {
    const [a, b] = [readClaims(token), readClaims(other)];
    return a.id === b.id && a.role === b.role;
  } catch {
    return false;
  }
}
