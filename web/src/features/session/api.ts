import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { storeToken } from "@/shared/api/token";

export type Credentials = components["schemas"]["Credentials"];

/** Signs in and keeps the token; the guard does the rest with the next navigation. */
export async function signIn({ username, password }: Credentials): Promise<void> {
  const { jwt } = await unwrap(portal.POST("/api/auth", { body: { username: username.trim(), password } }));
  storeToken(jwt);
}
