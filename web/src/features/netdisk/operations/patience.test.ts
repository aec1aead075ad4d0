import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Call, makeSender } from "./patience";

type State = Awaited<ReturnType<Call["send"]>>;

/** Responds with these one after the other; an error is thrown. */
function setUp(answers: (State | Error)[]) {
  const preferences: string[] = [];
  const call: Call = {
    send: async (prefer) => {
      preferences.push(prefer);
      const answer = answers.shift() ?? null;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    isFull: async (cause) => cause instanceof Error && cause.message === "full",
  };
  return { preferences, call, send: makeSender() };
}

describe("the calls of one operation", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("waits for each as long as none has to queue, and from then on for none", async () => {
    const { preferences, call, send } = setUp([null, "running", "queued", "queued", null, null]);
    const outcomes = [];
    for (let index = 0; index < 6; index += 1) outcomes.push(await send(call));
    expect(outcomes).toEqual(["done", "going", "going", "going", "done", "done"]);
    const [long, short] = ["respond-async, wait=1", "respond-async"];
    expect(preferences).toEqual([long, long, long, short, short, long]);
  });

  it("sends again when there was no room for more, and tells of every other refusal", async () => {
    const { preferences, call, send } = setUp([new Error("full"), new Error("full"), null]);
    const sent = send(call);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await sent).toBe("done");
    expect(preferences).toHaveLength(3);

    const refused = setUp([new Error("no")]);
    await expect(refused.send(refused.call)).rejects.toThrow("no");
  });
});
