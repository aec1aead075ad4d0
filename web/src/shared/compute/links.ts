// URLs of the compute pages. Those of images and terminals are other features' pages, named as in the SPEC.
import type { InstanceView } from "./api";

export const links = {
  servers: "/servers/server_list",
  manage: "/servers/server_manage",
  instances: "/servers/instance_manage",
  allocations: "/servers/server_allocation",
  server: (id: string) => `/servers/server_detail/${id}`,
  instance: (id: string) => `/servers/instance_detail/${id}`,
  create: ({ server, gpu }: { server?: string; gpu?: string } = {}) => {
    const query = new URLSearchParams({ ...(server && { server }), ...(gpu && { gpu }) }).toString();
    return `/servers/instance_create${query && `?${query}`}`;
  },
} as const;

/** In place of a shell's name: the best shell of the instance. */
export const ANY_SHELL = "auto";

/** The web terminal of an instance; the page offers the other shells. */
export function terminalLink({ id, server }: Pick<InstanceView, "id" | "server">): string | undefined {
  if (!server) return undefined;
  return `/servers/server_terminal/${server.id}/${id}/${encodeURIComponent(server.publicHost)}/${ANY_SHELL}`;
}

/** The URL of the service at a host port. */
export function portLink(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}
