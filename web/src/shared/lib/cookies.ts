// Cookies of this page. They are read afresh on every call, because other tabs write them too.

interface CookieOptions {
  /** Left out: until the browser closes. */
  expires?: Date;
}

export function readCookie(name: string): string | null {
  for (const pair of document.cookie.split("; ")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at) === name) return decodeURIComponent(pair.slice(at + 1));
  }
  return null;
}

export function writeCookie(name: string, value: string, { expires }: CookieOptions = {}) {
  const parts = [`${name}=${encodeURIComponent(value)}`, "Path=/", "SameSite=Strict"];
  if (location.protocol === "https:") parts.push("Secure");
  if (expires) parts.push(`Expires=${expires.toUTCString()}`);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous and missing in Firefox.
  document.cookie = parts.join("; ");
}

export function removeCookie(name: string) {
  writeCookie(name, "", { expires: new Date(0) });
}

export function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * 86_400_000);
}
