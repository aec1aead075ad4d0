// The server's rules for a new link's password, and a password that is easily passed on.

export const shortestPassword = 4;

/** The fault; undefined without one. */
export const passwordFault = (password: string): string | undefined =>
  password !== "" && [...password].length < shortestPassword
    ? `密码至少 ${shortestPassword} 个字符，不填则没有密码`
    : undefined;

/** Without letters and digits that look alike. */
const clear = "abcdefghjkmnpqrstuvwxyz23456789";
/** Enough where tries are limited. */
const letters = 6;

export function easyPassword(): string {
  // Bytes beyond a multiple of the alphabet's length would favour its first letters.
  const fair = 256 - (256 % clear.length);
  let password = "";
  while (password.length < letters)
    for (const byte of crypto.getRandomValues(new Uint8Array(letters)))
      if (byte < fair && password.length < letters) password += clear[byte % clear.length];
  return password;
}
