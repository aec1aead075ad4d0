// Tickets: the credential in the URL of a call that cannot send the login token in a header.
import { portal, unwrap } from "./client";

/** Signs a URL for elements that send no headers: it contains a ticket, not the login token. */
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
