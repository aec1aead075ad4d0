// Renews the token at start. The server ends the old token soon after it issues the new one, so two tabs that renew at
// once would sign each other out: only one renews, the others wait and use the token that it stored.

import { apiBase } from "./api-base";
import { ApiError, networkProblem, problemOf } from "./problem";
import { endSession } from "./session-end";
import { withSharedLock } from "./shared-lock";
import { isSamePerson, readClaims, storedToken, storeToken } from "./token";

/** A younger token was renewed by a tab that was opened together with this one. */
const youngestSeconds = 60;

const lock = "yunlab-renew";

async function requestRenewal(token: string): Promise<string> {
  const response = await fetch(`${apiBase()}/api/renew`, {
    method: "POST",
    credentials: "include",
    headers: { authorization: `Bearer ${token}` },
  }).catch((cause: unknown) => Promise.reject(networkProblem(cause)));
  const body = await response.text();
  if (!response.ok) throw problemOf(response, parsed(body));
  return body.trim();
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** A call of one user is never repeated in the name of another who signed in meanwhile. */
const instead = (refused: string, stored: string | null) =>
  stored !== null && isSamePerson(refused, stored) ? stored : null;

/** The token that replaced the refused one in another tab, whose event may still be on its way; otherwise null. */
async function anotherToken(refused: string): Promise<string | null> {
  for (let tries = 0; tries < 5; tries++) {
    const stored = storedToken();
    if (stored !== refused) return instead(refused, stored);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return null;
}

/** Renews the stored token unless it is fresh. Throws only when the server refuses the session itself. */
export async function renewToken(now = Date.now()): Promise<void> {
  await withSharedLock(lock, async () => {
    const token = storedToken();
    if (!token) return;
    if (now / 1000 - readClaims(token).iat < youngestSeconds) return;
    try {
      storeToken(await requestRenewal(token));
    } catch (error) {
      // A server that is restarting or busy says nothing about the session: the old token is still valid.
      if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) return;
      if (error.status === 401 && (await anotherToken(token)) !== null) return;
      endSession(token, error.status, error.message);
      throw error;
    }
  });
}

/** The token that replaced a refused one, once no renewal is in progress in any tab; null when there is none. */
export async function settledToken(refused: string): Promise<string | null> {
  const current = storedToken();
  if (current !== refused) return instead(refused, current);
  await withSharedLock(lock, async () => {});
  return anotherToken(refused);
}
