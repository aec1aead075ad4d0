// Signs out, for every button that does. The caller navigates to the login page afterwards.
import { forgetReturn } from "@/shared/lib/return-to";
import { useSession } from "@/shared/stores/session";
import { portal } from "./client";
import { leave } from "./leaving";
import { dropToken } from "./token";

let underWay: Promise<void> | null = null;

/** Ends the session; a second click waits for the first, whose session would no longer be there for another call. */
export function signOut(): Promise<void> {
  underWay ??= end().finally(() => {
    underWay = null;
  });
  return underWay;
}

async function end(): Promise<void> {
  leave(useSession.getState().token);
  try {
    await portal.POST("/api/auth/logout");
  } catch {
    // Without a connection the session ends by its own time; this browser forgets it now.
  }
  dropToken();
  forgetReturn();
}
