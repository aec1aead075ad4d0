import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { useAffecting } from "./use-affecting";

const never = new Promise<string>(() => {});
const told = vi.fn();
let left = false;

function Row() {
  const remove = useAffecting(["things", "slow"], async () => {
    left = true;
  });
  return (
    <button type="button" onClick={() => remove.mutate(undefined, { onSuccess: told })}>
      移出
    </button>
  );
}

function Page() {
  const rows = useQuery({ queryKey: ["things"], queryFn: async () => (left ? [] : ["陈宇"]) });
  useQuery({ queryKey: ["slow"], queryFn: async () => (left ? never : "first") });
  return rows.data?.map((name) => <Row key={name} />);
}

it("tells of a change whose row has left with the fresh list", async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Page />
    </QueryClientProvider>,
  );
  fireEvent.click(await screen.findByRole("button", { name: "移出" }));
  await waitFor(() => expect(screen.queryByRole("button")).toBeNull());
  await waitFor(() => expect(told).toHaveBeenCalled());
});
