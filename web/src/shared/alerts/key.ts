// Where alerts lie in the cache: the page asks for them, and the frame hears that they changed.

/** Below it lies everything that shows alerts. */
export const alertsKey = "alerts";
