// The page that a person requested before the sign-in. The URL shows only its first segment; the rest is kept in this
// tab, so that neither a shared link nor a log line contains more.
const key = "return_to";

const segmentOf = (path: string) => path.split(/[/?#]/)[1] ?? "";

/** Only a plain segment of our own: never `//host`, `..`, a scheme or a backslash. */
const isPlainSegment = (segment: string) => /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(segment);

/** The login page's path for a person who requested `path`, which is remembered. */
export function loginAddress(path: string): string {
  const segment = segmentOf(path);
  if (!isPlainSegment(segment) || segment === "login") return "/login";
  try {
    sessionStorage.setItem(key, path);
  } catch {
    // Without storage they land on the section's first page instead of the very place.
  }
  return `/login?redirect=${segment}`;
}

/** The page after sign-in, from the login page's `redirect`. Anything but a path of ours becomes the start page. */
export function addressAfterLogin(redirect: string | null): string {
  const segment = (redirect ?? "").replace(/^\//, "");
  if (!isPlainSegment(segment) || segment === "login") return "/";
  const remembered = remember();
  return remembered?.startsWith(`/${segment}`) && segmentOf(remembered) === segment
    ? remembered
    : `/${segment}`;
}

function remember(): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

export function forgetReturn() {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept then.
  }
}
