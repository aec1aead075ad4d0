// How people are named: by what others call them, with the login name where two could be mistaken for each other.

interface Named {
  /** Empty or absent where it is not filled in. */
  name?: string;
  username: string;
}

/** 张敏; the login name where there is no other. */
export const calledBy = ({ name, username }: Named): string => name || username;

/** 张敏 zhangmin, or the login name alone. */
export const inFull = ({ name, username }: Named): string =>
  name && name !== username ? `${name} ${username}` : username;
