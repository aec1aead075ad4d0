// The cache of server responses. One for the page; cleared when another user signs in.
import { QueryClient, type RefetchOptions, type RefetchQueryFilters } from "@tanstack/react-query";

/** Only errors that may pass by themselves are retried: no response, or a server that is starting. */
const mayPass = (status: number) => status === 0 || status === 502 || status === 503 || status === 504;

/**
 * A browser that calls itself offline only means the internet. The portal may be on the same machine or behind a tunnel;
 * where it isn't, the request fails and says so, while a paused one would never end.
 */
const evenOffline = { networkMode: "always" } as const;

/**
 * A refetch starts a first fetch that is under way anew: it may answer with what was before the change. The library does
 * so only where there is data.
 */
class FreshQueryClient extends QueryClient {
  override refetchQueries<Key extends readonly unknown[] = readonly unknown[]>(
    filters?: RefetchQueryFilters<Key>,
    options?: RefetchOptions,
  ): Promise<void> {
    if (options?.cancelRefetch !== false) {
      for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: "fetching" })) {
        const isFirst = query.state.data === undefined;
        // The others are not fetched again.
        if (isFirst && !query.isDisabled() && !query.isStatic()) void query.cancel({ silent: true });
      }
    }
    return super.refetchQueries(filters, options);
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
