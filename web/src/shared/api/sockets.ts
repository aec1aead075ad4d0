// Websockets and why they do not open. A browser tells nothing of that; the same call without a socket does.
import { asApiError, problemOf } from "./problem";
import { socketBlockedWords } from "./proxies";
import { signedSocketAddress } from "./signed-address";
import { signedFetch } from "./signed-fetch";

export const openSocket = async (address: URL) => new WebSocket(await signedSocketAddress(address));

/** Codes that only say that this was no socket: with one it would have been let in. */
const notASocket = [400, 426];

export interface SocketRefusal {
  /** 0 is no refusal by the server. */
  status: number;
  words: string;
  /** The server is reached, and would have let the socket in: something on the way does not pass sockets on. */
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
