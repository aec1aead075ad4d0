// While a page signs out it sends no other calls: they would be refused, because the session is ending. Questions that
// are on their way are taken back for the same reason; what changes something runs to its end.
import { signedOutProblem } from "./problem";

/** The token of this page once it signs out. */
let left: string | null = null;

/** Aborts at the sign-out; another one stands ready for the next session. */
let departure = new AbortController();

/** The call that ends the session. */
const goodbye = "/api/auth/logout";

const isCallTo = (request: Request, path: string) => new URL(request.url).pathname.endsWith(path);

/** Whether this request only asks. An unused ticket changes nothing. */
const onlyAsks = (request: Request) =>
  request.method === "GET" || request.method === "HEAD" || isCallTo(request, "/api/tickets");

export function leave(token: string | null) {
  left = token;
  departure.abort(signedOutProblem());
  departure = new AbortController();
}

/** Whether the page with this token is signing out or has done so. */
export const hasSignedOut = (token: string | null) => token !== null && token === left;

/** Whether this request must no longer be sent. */
export const isTooLate = (request: Request, token: string | null) =>
  hasSignedOut(token) && !isCallTo(request, goodbye);

/** What breaks a request off: what its caller says, and the sign-out if it only asks. */
export const breakOff = (request: Request): AbortSignal =>
  onlyAsks(request) ? AbortSignal.any([request.signal, departure.signal]) : request.signal;
