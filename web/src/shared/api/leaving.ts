// A page that signs out asks for nothing more: what it asked while its session ends would be refused.

/** What this page signed in with, when it is left on purpose. */
let left: string | null = null;

/** The call that ends the session. */
const goodbye = "/api/auth/logout";

export function leave(token: string | null) {
  left = token;
}

/** Whether what is refused to a page with this token is no news. */
export const hasSignedOut = (token: string | null) => token !== null && token === left;

/** Whether this request comes too late. */
export const isTooLate = (request: Request, token: string | null) =>
  hasSignedOut(token) && !new URL(request.url).pathname.endsWith(goodbye);
