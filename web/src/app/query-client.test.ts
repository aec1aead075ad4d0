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
