// How one operation's calls to copy and move are answered: what is quick is waited for, what takes long becomes a task.
// Knows neither React nor the network.

/** Whatever takes longer goes on as a task. */
const patienceSeconds = 1;

const roomEveryMs = 1_000;

export interface Call {
  /** With the `Prefer` header; answers the state of the task that it has become, or nothing when it is done. */
  send: (prefer: string) => Promise<"queued" | "running" | null>;
  /** Whether a refusal says that too many tasks are waiting, and some of them will end. */
  isFull: (cause: unknown) => Promise<boolean>;
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** One for each operation: what it learns of the queue holds for the calls that follow. */
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
