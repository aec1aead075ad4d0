// Tickets: what stands in the address of a call that can't carry the login token in a header.
import { portal, unwrap } from "./client";

/** The address for what signs nothing itself: a ticket stands in it, not the login token. */
export async function signedAddress(address: URL): Promise<URL> {
  const body = { path: address.pathname, method: "GET" };
  const { ticket } = await unwrap(portal.POST("/api/tickets", { body }));
  address.searchParams.set("auth", ticket);
  return address;
}

/** The same for a websocket. */
export async function signedSocketAddress(address: URL): Promise<URL> {
  const signed = await signedAddress(address);
  signed.protocol = signed.protocol === "https:" ? "wss:" : "ws:";
  return signed;
}
