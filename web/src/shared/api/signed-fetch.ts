// The one way from this app to a server: signs the request, survives a renewal in another tab, and tells the app
// when the session is over.
import { networkProblem } from "./problem";
import { settledToken } from "./renew";
import { endSession } from "./session-end";
import { storedToken } from "./token";

interface SignedFetchOptions {
  /** A platform 403 ends the session; the network disk's only says that this file is not for you. */
  forbiddenEndsSession?: boolean;
}

async function send(request: Request, token: string | null): Promise<Response> {
  const signed = new Request(request, { credentials: "include" });
  if (token) signed.headers.set("authorization", `Bearer ${token}`);
  try {
    return await fetch(signed);
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
  const { forbiddenEndsSession = true } = options;
  let sent = storedToken();
  const again = sent ? request.clone() : null;
  let response = await send(request, sent);
  if (response.status === 401 && sent && again) {
    const current = await settledToken(sent);
    if (current) {
      sent = current;
      response = await send(again, current);
    }
  }
  if (response.status === 401 || (response.status === 403 && forbiddenEndsSession)) {
    endSession(sent, response.status, await messageOf(response));
  }
  return response;
}
