// Whether the platform trusts the machine's clock, for its page and for the notice in the frame. Administrators only.
import { queryOptions } from "@tanstack/react-query";
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";

export type ClockState = components["schemas"]["ClockState"];
export type ClockWitness = components["schemas"]["ClockWitness"];

/** Below it lies everything that shows the clock. */
export const clockKey = "clock";

/** Where the clock is looked at and released. */
export const clockPage = "/settings/duties";

/** While the clock is not trusted the server queries all others for each answer, so each view sets its own interval. */
export const clockQuery = queryOptions({
  queryKey: [clockKey],
  queryFn: ({ signal }) => unwrap(portal.GET("/api/clock", { signal })),
});
