// Signs out, for every button that does. The caller navigates to the login page afterwards.
import { forgetReturn } from "@/shared/lib/return-to";
import { useSession } from "@/shared/stores/session";
import { portal } from "./client";
import { leave } from "./leaving";
import { dropToken } from "./token";

export async function signOut(): Promise<void> {
  leave(useSession.getState().token);
  try {
    await portal.POST("/api/auth/logout");
  } catch {
    // Without a connection the session ends by its own time; this browser forgets it now.
  }
  dropToken();
  forgetReturn();
}
