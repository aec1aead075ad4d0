// Addresses of the compute pages. Those of images and terminals are other features' pages, named as SPEC names them.
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

/** The web terminal of an instance; every image that has a shell has `sh`, and the page offers the others. */
export function terminalLink({ id, server }: Pick<InstanceView, "id" | "server">): string | undefined {
  if (!server) return undefined;
  return `/servers/server_terminal/${server.id}/${id}/${encodeURIComponent(server.publicHost)}/sh`;
}

/** Where a browser finds what answers at a host port. */
export function portLink(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}
