// The one function for calls to a server: signs the request, survives a renewal in another tab, and reports the end of
// the session.

import { breakOff, isTooLate } from "./leaving";
import { pageToken } from "./page-token";
import { patientFetch } from "./patient-fetch";
import { networkProblem, signedOutProblem } from "./problem";
import { settledToken } from "./renew";
import { endSession } from "./session-end";

interface SignedFetchOptions {
  /** Responses that end the session. A platform's 403 does; the network disk's only concerns one file. */
  endedBy?: readonly number[];
}

async function send(request: Request, token: string | null): Promise<Response> {
  // Cookies go to the portal alone. A storage host elsewhere takes none, and a browser would break off its answers.
  const signed = new Request(request, { credentials: "same-origin", signal: breakOff(request) });
  if (token) signed.headers.set("authorization", `Bearer ${token}`);
  return patientFetch(signed, plainFetch);
}

/** For public calls: sends no token, whatever the host, and no response ends the session. */
export async function plainFetch(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    throw networkProblem(cause);
  }
}

async function messageOf(response: Response): Promise<string> {
  const body = await response.clone().text();
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed && "message" in parsed ? String(parsed.message) : body;
  } catch {
    return body;
  }
}

export async function signedFetch(request: Request, options: SignedFetchOptions = {}): Promise<Response> {
  const { endedBy = [401, 403] } = options;
  let sent = pageToken();
  if (isTooLate(request, sent)) throw signedOutProblem();
  const again = sent ? request.clone() : null;
  let response = await send(request, sent);
  if (response.status === 401 && sent && again) {
    const current = await settledToken(sent);
    if (current) {
      sent = current;
      response = await send(again, current);
    }
  }
  if (endedBy.includes(response.status)) {
    endSession(sent, response.status, await messageOf(response));
  }
  return response;
}
