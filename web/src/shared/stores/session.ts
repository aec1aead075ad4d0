// The signed-in user, as the pages need it. The token in its storage is authoritative; this was read from it and from
// the profile.
import { create } from "zustand";
import { ADMIN } from "@/shared/lib/app-route";

export interface Session {
  token: string | null;
  exp: number;
  id: number;
  username: string;
  name: string;
  avatar: string;
  introduction: string;
  role: number;
  /** The role's routes must be built (again): set by sign-out, cleared once they are built. */
  routerReset: boolean;
}

const signedOut: Session = {
  token: null,
  exp: 0,
  id: 0,
  username: "",
  name: "",
  avatar: "",
  introduction: "",
  role: 0,
  routerReset: true,
};

export const useSession = create<Session>()(() => signedOut);

export const setSession = (part: Partial<Session>) => useSession.setState(part);

export const clearSession = () => useSession.setState(signedOut);

export const isAdmin = (session: Session) => session.role === ADMIN;
