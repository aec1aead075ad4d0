// Where SSH clients reach instances, and how they recognise it.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type SshGateway = components["schemas"]["SshGateway"];

export const sshGatewayQuery = queryOptions({
  queryKey: ["ssh-gateway"],
  queryFn: () => unwrap(portal.GET("/api/ssh-gateway")),
  staleTime: 5 * 60_000,
});

/** Without the brackets that addresses have for IPv6. */
const host = () => location.hostname.replace(/^\[|\]$/g, "");

/** The command that signs in to an instance, or offers a list of them to a user. */
export const sshCommand = (name: string, port: number) => `ssh -p ${port} ${name}@${host()}`;

/** A line for `known_hosts`, so that a client need not ask. */
export const knownHostsLine = ({ hostKey }: SshGateway, port: number) =>
  `${port === 22 ? host() : `[${host()}]:${port}`} ${hostKey}`;
