// The cache of server responses. One for the page; cleared when another user signs in.
import { type InvalidateOptions, type InvalidateQueryFilters, QueryClient } from "@tanstack/react-query";

/** Only errors that may pass by themselves are retried: no response, or a server that is starting. */
const mayPass = (status: number) => status === 0 || status === 502 || status === 503 || status === 504;

/**
 * A browser that calls itself offline only means the internet. The portal may be on the same machine or behind a tunnel;
 * where it isn't, the request fails and says so, while a paused one would never end.
 */
const evenOffline = { networkMode: "always" } as const;

/**
 * Asks again also for what is being asked for the first time: that answer may be of before the change. The library only
 * does so where it has an earlier answer.
 */
class FreshQueryClient extends QueryClient {
  override invalidateQueries<Key extends readonly unknown[] = readonly unknown[]>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    if (filters?.refetchType !== "none") {
      for (const query of this.getQueryCache().findAll({
        ...filters,
        type: "active",
        fetchStatus: "fetching",
      })) {
        if (query.state.data === undefined && !query.isDisabled()) void query.cancel({ silent: true });
      }
    }
    return super.invalidateQueries(filters, options);
  }
}

export const queryClient = new FreshQueryClient({
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
