import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { QuotaStrip } from "./QuotaStrip";

const GB = 1024 ** 3;
const none = { used: 0, limit: 0 };

function strip(memory: { used: number; limit: number }) {
  const quotas = {
    instances: { used: 1, limit: 4, base: 4, offset: 0 },
    gpus: none,
    cpu: none,
    memory,
    disk: { limit: 0 },
  };
  const usage = { data: undefined, fault: undefined };
  return () => <QuotaStrip quotas={quotas} usage={usage} admin={false} refreshing={false} />;
}

it("A18 the quota of memory stands among the others", async () => {
  renderPage(strip({ used: 3 * GB, limit: 8 * GB }), { at: "/dashboard", role: 2 });
  expect(await screen.findByText("/ 8 GB")).toBeTruthy();
  expect(screen.getByText("还可用 5 GB")).toBeTruthy();
});

it("A18 used-up memory says so", async () => {
  renderPage(strip({ used: 8 * GB, limit: 8 * GB }), { at: "/dashboard", role: 2 });
  expect(await screen.findByText("已用完")).toBeTruthy();
});
