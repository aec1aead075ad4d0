// The mark that this browser got when somebody signed in here: with it, whoever guesses their password elsewhere cannot
// lock them out. In local storage and not in a cookie, which goes to every port of the host. It opens nothing.
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
