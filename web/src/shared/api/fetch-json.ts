// The generic helper for addresses that no document describes: signs the call, takes 200 and nothing else.
import { reportError } from "@/shared/stores/error-log";
import { apiBase } from "./api-base";
import { problemOf } from "./problem";
import { signedFetch } from "./signed-fetch";

/** `base` defaults to the configured one. Any status but 200 throws and is logged. */
export async function fetchJson(path: string, base = apiBase(), init?: RequestInit): Promise<unknown> {
  const url = new URL(`${base}${path}`, location.origin);
  const response = await signedFetch(new Request(url, init));
  const body: unknown = await response.json().catch(() => null);
  if (response.status === 200) return body;
  const problem = problemOf(response, body);
  reportError({ err: problem, info: `${response.status} ${url.pathname}` });
  throw problem;
}
