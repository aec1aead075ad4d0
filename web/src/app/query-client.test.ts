import { QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { queryClient } from "./query-client";

it("asks the server while the browser calls itself offline", async () => {
  queryClient.mount();
  dispatchEvent(new Event("offline"));
  const read = queryClient.fetchQuery({ queryKey: ["offline"], queryFn: async () => "read" });
  const written = queryClient
    .getMutationCache()
    .build(queryClient, { mutationFn: async () => "written" })
    .execute(undefined);
  expect(await Promise.all([read, written])).toEqual(["read", "written"]);
  dispatchEvent(new Event("online"));
  queryClient.unmount();
});

it("does not keep an answer to a first question that was asked before a change", async () => {
  const answers: ((list: string[]) => void)[] = [];
  const options = {
    queryKey: ["first"],
    queryFn: () => new Promise<string[]>((resolve) => answers.push(resolve)),
  };
  const shown: unknown[] = [];
  const stop = new QueryObserver(queryClient, options).subscribe(({ data }) => shown.push(data));
  const asked = queryClient.fetchQuery(options);
  const changed = queryClient.invalidateQueries({ queryKey: ["first"] });
  expect(answers).toHaveLength(2);
  answers[0]?.(["before"]);
  answers[1]?.(["before", "after"]);
  await changed;
  expect(await asked).toEqual(["before", "after"]);
  expect(queryClient.getQueryData(["first"])).toEqual(["before", "after"]);
  expect(shown).not.toContainEqual(["before"]);
  expect(queryClient.getQueryState(["first"])).toMatchObject({ fetchStatus: "idle", isInvalidated: false });
  stop();
  queryClient.clear();
});
