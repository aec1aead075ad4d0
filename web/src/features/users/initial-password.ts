// Initial passwords for paper or phone: no characters that look alike.
const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ";
const digits = "23456789";
const both = letters + digits;
const LENGTH = 12;

function pick(from: string): string {
  const range = Math.floor(256 / from.length) * from.length;
  // Bytes above the last full multiple would make some characters likelier than others.
  let byte = 256;
  while (byte >= range) byte = crypto.getRandomValues(new Uint8Array(1))[0] ?? 256;
  return from.charAt(byte % from.length);
}

/** At least one letter (first) and one digit (last), as the password rule requires. */
export function initialPassword(): string {
  const middle = Array.from({ length: LENGTH - 2 }, () => pick(both)).join("");
  return pick(letters) + middle + pick(digits);
}
