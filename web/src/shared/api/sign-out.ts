// Signing out, from wherever the button stands. Whoever calls it goes to the login page afterwards.
import { forgetReturn } from "@/shared/lib/return-to";
import { useSession } from "@/shared/stores/session";
import { portal } from "./client";
import { dropToken } from "./token";

/** What this page signed in with, when it is left on purpose. */
let left: string | null = null;

/** Whether what is refused to a page with this token is no news. */
export const hasSignedOut = (token: string | null) => token !== null && token === left;

export async function signOut(): Promise<void> {
  left = useSession.getState().token;
  try {
    await portal.POST("/api/auth/logout");
  } catch {
    // Without a connection the session ends by its own time; this browser forgets it now.
  }
  dropToken();
  forgetReturn();
}
