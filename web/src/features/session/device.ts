// The mark of this browser after a sign-in: with it, failed attempts from elsewhere cannot lock its user out. In local
// storage and not in a cookie, which is sent to every port of the host. It grants no access.
const prefix = "login_device:";

const keyOf = (username: string) => prefix + username.trim().toLowerCase();

export function knownDevice(username: string): string | null {
  try {
    return localStorage.getItem(keyOf(username));
  } catch {
    return null;
  }
}

export function rememberDevice(username: string, mark: string) {
  try {
    localStorage.setItem(keyOf(username), mark);
  } catch {
    // A browser without storage is a stranger each time.
  }
}
