// While a page signs out it sends no other calls: they would be refused, because the session is ending.

/** The token of this page once it signs out. */
let left: string | null = null;

/** The call that ends the session. */
const goodbye = "/api/auth/logout";

export function leave(token: string | null) {
  left = token;
}

/** Whether the page with this token is signing out or has done so. */
export const hasSignedOut = (token: string | null) => token !== null && token === left;

/** Whether this request must no longer be sent. */
export const isTooLate = (request: Request, token: string | null) =>
  hasSignedOut(token) && !new URL(request.url).pathname.endsWith(goodbye);
