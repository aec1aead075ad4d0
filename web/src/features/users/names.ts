/** The first few by name, the rest as a number. */
export function namesOf(users: readonly { username: string }[]): string {
  const shown = users.slice(0, 5).map((user) => user.username);
  return users.length > 5 ? `${shown.join("、")} 等 ${users.length} 人` : shown.join("、");
}

/** The page on which these people leave. */
export const leavingAddress = (users: readonly { username: string }[]) =>
  `/users/leaving?name=${users.map((user) => encodeURIComponent(user.username)).join(",")}`;
