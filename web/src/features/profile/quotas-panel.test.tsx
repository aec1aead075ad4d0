import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/shared/list/render-page";
import { json, person, publicSettings, serve } from "@/test-server";
import DetailPage from "./DetailPage";

const GB = 1024 ** 3;

function start(usage: Record<string, number>, role = 2, folder = "") {
  serve(
    {
      "GET /api/settings/public": () => json({ ...publicSettings, storageHost: "/disk" }),
      "GET /api/users/7": () => json({ ...person(role), diskQuota: 10 * GB }),
      [`GET /disk/api/usage/${folder}`]: () => json({ total: 100 * GB, ...usage }),
    },
    role,
  );
  renderPage(DetailPage, { at: "/profile/detail", role, me: 7 });
}

describe("the quota of the disk on the profile page", () => {
  it("says what is used and what part of it datasets are", async () => {
    start({ used: 6 * GB, datasets: 4 * GB, quota: 10 * GB });
    expect(await screen.findByText("10.00 GB，已用 6.00 GB（其中数据集和版本 4.00 GB）")).toBeTruthy();
  });

  it("says by how much somebody is over it", async () => {
    start({ used: 12 * GB, datasets: 0, quota: 10 * GB });
    expect(await screen.findByText("10.00 GB，已用 12.00 GB，超出 2.00 GB")).toBeTruthy();
  });

  it("is that of the home for an administrator, whose root is the whole disk", async () => {
    start({ used: GB, datasets: 0, quota: 10 * GB }, 1, "home/zhangmin");
    expect(await screen.findByText("10.00 GB，已用 1.00 GB")).toBeTruthy();
  });
});
