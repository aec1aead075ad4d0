// The server's data about terminals' targets, and the sockets themselves.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import { openSocket, socketRefusal } from "@/shared/api/sockets";
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

/** Makes the portal forget a host's key; the next login asks about the new one. */
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
    refusal: () => socketRefusal(addressOf("terminal", instance, shell)),
  };
}

/** An SSH shell at this address of a server. */
export function sshTarget({ server, ip, port }: Host): Target {
  const address = () => addressOf("ssh", server, ip, String(port));
  return {
    label: `${ip}:${port}`,
    login: true,
    dial: () => openSocket(address()),
    refusal: () => socketRefusal(address()),
  };
}
