// The query key of alerts: the page fetches them, and the frame hears of changes.

/** Below it lies everything that shows alerts. */
export const alertsKey = "alerts";
