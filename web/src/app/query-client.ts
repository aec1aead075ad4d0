// The cache of server responses. One for the page; cleared when another user signs in.
import { QueryClient } from "@tanstack/react-query";

/** Only errors that may pass by themselves are retried: no response, or a server that is starting. */
const mayPass = (status: number) => status === 0 || status === 502 || status === 503 || status === 504;

/**
 * A browser that calls itself offline only means the internet. The portal may be on the same machine or behind a tunnel;
 * where it isn't, the request fails and says so, while a paused one would never end.
 */
const evenOffline = { networkMode: "always" } as const;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      ...evenOffline,
      refetchOnReconnect: true,
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && mayPass(error.status),
    },
    mutations: evenOffline,
  },
});
