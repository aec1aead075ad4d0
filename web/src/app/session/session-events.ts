// What the page does when the server ends the session, and when the user does.
import { Modal } from "antd";
import { portal } from "@/shared/api/client";
import { onSessionEnd, type SessionEnd } from "@/shared/api/session-end";
import { dropToken } from "@/shared/api/token";
import { forgetReturn, loginAddress } from "@/shared/lib/return-to";
import { useSession } from "@/shared/stores/session";
import { showDisabled, showSessionExpired } from "../feedback";
import { leave } from "./guard";

function handleEnd({ status, message, signedIn }: SessionEnd) {
  if (status === 403 && message.includes("禁用")) showDisabled(message);
  // A refused sign-in has no session to lose; its page says what is wrong. A token that ran out by its time is gone
  // from its cookie, and the call went without one: the session of this page still ends.
  if (!signedIn && useSession.getState().token === null) return;
  Modal.destroyAll();
  showSessionExpired();
  if (location.pathname !== "/login") leave(loginAddress(location.pathname + location.search));
}

export const watchSessionEnd = () => onSessionEnd(handleEnd);

export async function logOut() {
  try {
    await portal.POST("/api/auth/logout");
  } catch {
    // Without a connection the session ends by its own time; this browser forgets it now.
  }
  dropToken();
  forgetReturn();
  leave("/login");
}
