// Websockets and the reasons why they do not open. Browsers do not report these; the same call without an upgrade does.
import { asApiError, problemOf } from "./problem";
import { socketBlockedWords } from "./proxies";
import { signedSocketAddress } from "./signed-address";
import { signedFetch } from "./signed-fetch";

export const openSocket = async (address: URL) => new WebSocket(await signedSocketAddress(address));

/** Statuses that only mean that this was no websocket: with an upgrade it would be accepted. */
const notASocket = [400, 426];

export interface SocketRefusal {
  /** 0 is no refusal by the server. */
  status: number;
  words: string;
  /** The server is reachable, and would accept the socket: a proxy in between does not pass upgrades on. */
  blocked: boolean;
}

export async function socketRefusal(address: URL): Promise<SocketRefusal> {
  try {
    const response = await signedFetch(new Request(address));
    const body: unknown = await response.json().catch(() => null);
    if (response.ok || notASocket.includes(response.status))
      return { status: 0, words: socketBlockedWords, blocked: true };
    const { status, message } = problemOf(response, body);
    return { status, words: message, blocked: false };
  } catch (cause) {
    return { status: 0, words: asApiError(cause).message, blocked: false };
  }
}
