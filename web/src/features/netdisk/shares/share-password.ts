// The server's rules for a new link's password.

export const shortestPassword = 4;

/** The fault; undefined without one. */
export const passwordFault = (password: string): string | undefined =>
  password !== "" && [...password].length < shortestPassword
    ? `密码至少 ${shortestPassword} 个字符，不填则没有密码`
    : undefined;
