// Waits for quick copies and moves, and turns long ones into tasks. Knows neither React nor the network.

/** A longer operation continues as a task. */
const patienceSeconds = 1;

const roomEveryMs = 1_000;

export interface Call {
  /** With the `Prefer` header; resolves to the state of the task that it became, or null when it is done. */
  send: (prefer: string) => Promise<"queued" | "running" | null>;
  /** Whether a refusal means that too many tasks are waiting, of which some will end. */
  isFull: (cause: unknown) => Promise<boolean>;
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** One for each operation: its knowledge of the queue holds for the following calls. */
export function makeSender(): (call: Call) => Promise<"done" | "going"> {
  // Behind others nothing ends soon: a second spent on each of a thousand would be for nothing.
  let waits = true;
  return async function send(call) {
    for (;;) {
      try {
        const state = await call.send(waits ? `respond-async, wait=${patienceSeconds}` : "respond-async");
        waits = state !== "queued";
        return state === null ? "done" : "going";
      } catch (cause) {
        if (!(await call.isFull(cause))) throw cause;
        await pause(roomEveryMs);
      }
    }
  };
}
