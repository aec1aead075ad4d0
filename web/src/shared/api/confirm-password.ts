// Confirmation of the password: some calls answer 422 `password_required`, so that a stolen session alone cannot create
// keys. The app asks, and the call is repeated.
import { signedFetch } from "./signed-fetch";

/** Asks the user; resolves to whether the server accepted the password. */
type Ask = () => Promise<boolean>;

let ask: Ask | null = null;
/** Calls that are refused at the same time share one question. */
let asking: Promise<boolean> | null = null;

export function providePasswordQuestion(question: Ask): () => void {
  ask = question;
  return () => {
    if (ask === question) ask = null;
  };
}

async function wantsPassword(response: Response): Promise<boolean> {
  if (response.status !== 422) return false;
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return (
    typeof problem === "object" &&
    problem !== null &&
    "code" in problem &&
    problem.code === "password_required"
  );
}

/** Sends a request to the platform; returns the refusal when the user gives no password. */
export async function confirmedFetch(request: Request): Promise<Response> {
  if (request.method === "GET") return signedFetch(request);
  const again = request.clone();
  const response = await signedFetch(request);
  if (!ask || !(await wantsPassword(response))) return response;
  asking ??= ask().finally(() => {
    asking = null;
  });
  return (await asking) ? signedFetch(again) : response;
}
