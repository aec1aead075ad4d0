// The typed client of the platform API. A page calls `unwrap(portal.GET("/api/users", …))` and gets the data or an
// `ApiError`.
import createClient from "openapi-fetch";
import { confirmedFetch } from "./confirm-password";
import type { paths } from "./portal";
import { asApiError, problemOf } from "./problem";

export const portal = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => confirmedFetch(request),
  headers: { accept: "application/json" },
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    throw asApiError(cause);
  });
  if (!response.ok) throw problemOf(response, error);
  // Without a body (204) openapi-fetch gives no data, and the document's type for it is `never` or undefined.
  return data as T;
}
