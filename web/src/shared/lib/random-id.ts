// Ids made in the browser: keys of list entries, names of uploads. Not secrets.

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

/** `crypto.randomUUID` is missing on plain-http origins, where many labs run; `getRandomValues` is not. */
export function randomId(length = 32): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("");
}
