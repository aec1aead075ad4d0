// Whether there is a newer version. A failure is only logged: nobody's work depends on it.
import { queryOptions } from "@tanstack/react-query";
import { reportError } from "@/shared/stores/error-log";
import { portal, unwrap } from "./client";
import type { components } from "./portal";

export type UpdateInfo = components["schemas"]["Update"];

export const updateInfoQuery = queryOptions({
  queryKey: ["update"],
  queryFn: async () => {
    try {
      return await unwrap(portal.GET("/api/update"));
    } catch (error) {
      reportError({ err: error, info: "GET /api/update" });
      throw error;
    }
  },
  staleTime: 60 * 60_000,
  retry: false,
});
