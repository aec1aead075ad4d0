// What the server knows of what a terminal is opened to, and the sockets themselves.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import { asApiError, problemOf } from "@/shared/api/problem";
import { signedSocketAddress } from "@/shared/api/signed-address";
import { signedFetch } from "@/shared/api/signed-fetch";
import { useAffecting } from "@/shared/list/use-affecting";
import type { Target } from "./sessions";

/** The shells that there are in an instance. */
export const shellsQuery = (id: string) =>
  queryOptions({
    queryKey: ["instances", "shells", id],
    queryFn: ({ signal }) =>
      unwrap(portal.GET("/api/instances/{id}/shells", { params: { path: { id } }, signal })),
    staleTime: 60_000,
  });

export interface Host {
  server: string;
  ip: string;
  port: number;
}

/** Has the portal forget the key that a host had; the next login asks for its new one. */
export const useForgetHostKey = () =>
  useAffecting(["servers", "logs"], ({ server, ip, port }: Host) =>
    unwrap(
      portal.DELETE("/api/servers/{id}/host-keys/{ip}/{port}", {
        params: { path: { id: server, ip, port } },
      }),
    ),
  );

const addressOf = (...segments: string[]) =>
  new URL(`/api/websocket/${segments.map(encodeURIComponent).join("/")}`, location.origin);

const openSocket = async (address: URL) => new WebSocket(await signedSocketAddress(address));

/** Codes that only say that this was no socket: with one it would have been let in. */
const notASocket = [400, 426];

/** A browser tells nothing of why a socket did not open; the same call without one does. */
async function refusalOf(address: URL): Promise<{ status: number; words: string }> {
  try {
    const response = await signedFetch(new Request(address));
    const body: unknown = await response.json().catch(() => null);
    if (response.ok || notASocket.includes(response.status)) return { status: 0, words: "连不上服务器" };
    const { status, message } = problemOf(response, body);
    return { status, words: message };
  } catch (cause) {
    return { status: 0, words: asApiError(cause).message };
  }
}

/** A shell in an instance. */
export function shellTarget(instance: string, shell: string): Target {
  return {
    label: shell,
    login: false,
    dial: ({ cols, rows }) => {
      const address = addressOf("terminal", instance, shell);
      address.searchParams.set("cols", String(cols));
      address.searchParams.set("rows", String(rows));
      return openSocket(address);
    },
    refusal: () => refusalOf(addressOf("terminal", instance, shell)),
  };
}

/** A shell on whatever answers SSH at this address of a server. */
export function sshTarget({ server, ip, port }: Host): Target {
  const address = () => addressOf("ssh", server, ip, String(port));
  return {
    label: `${ip}:${port}`,
    login: true,
    dial: () => openSocket(address()),
    refusal: () => refusalOf(address()),
  };
}
