// Whether there is a newer version. A failure is only logged: no work depends on it.
import { queryOptions } from "@tanstack/react-query";
import { reportError } from "@/shared/stores/error-log";
import { portal, unwrap } from "./client";
import type { components } from "./portal";
import { ApiError } from "./problem";

export type UpdateInfo = components["schemas"]["Update"];

export const updateInfoQuery = queryOptions({
  queryKey: ["update"],
  queryFn: async () => {
    try {
      return await unwrap(portal.GET("/api/update"));
    } catch (error) {
      // The end of the session is reported elsewhere, and is no fault of this call.
      const ended = error instanceof ApiError && error.status === 401;
      if (!ended) reportError({ err: error, info: "GET /api/update" });
      throw error;
    }
  },
  staleTime: 60 * 60_000,
  // Its progress. The restart at the end is broadcast to all pages.
  refetchInterval: ({ state }) => (state.data?.state === "downloading" ? 1_000 : false),
  retry: false,
});
