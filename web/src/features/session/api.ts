import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { storeToken } from "@/shared/api/token";
import { knownDevice, rememberDevice } from "./device";

export type Credentials = components["schemas"]["Credentials"];

/** Signs in and keeps the token; the guard does the rest with the next navigation. */
export async function signIn({ username, password, newPassword }: Credentials): Promise<void> {
  const device = knownDevice(username);
  const body = {
    username: username.trim(),
    password,
    ...(device && { device }),
    ...(newPassword && { newPassword }),
  };
  const signedIn = await unwrap(portal.POST("/api/auth", { body }));
  storeToken(signedIn.jwt);
  rememberDevice(username, signedIn.device);
}
