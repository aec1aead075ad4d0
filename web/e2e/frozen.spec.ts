// An instance that writes past its owner's quota, on a real engine: it is frozen, and goes on when there is room again.
import { join } from "node:path";
import type { components } from "@/shared/api/portal";
import { equip, smallInstance } from "./fixtures/compute";
import { Engine, test } from "./fixtures/engine";
import { expect, open, signIn } from "./fixtures/test";

type Instance = components["schemas"]["InstanceView"];

const MIB = 1024 ** 2;
/** A count of everybody, which comes every 30 s, and two looks at who writes, 15 s apart. */
const patience = { timeout: 240_000, intervals: [500] };

test("who fills their disk finds why an instance stands, makes room, and lets it go on", async ({
  server: portal,
  engine,
  api,
  apiOf,
  faults,
  page,
}) => {
  test.setTimeout(420_000);
  // A container's network comes and goes with it, and Chromium tells on the console.
  faults.expect(/ERR_NETWORK_CHANGED/);
  faults.expectStatus(409);
  const server = await equip(api, engine, "gpu-f01");
  const storage = { storagePath: join(portal.folder, "data/disk") };
  expect(await api.status("PUT", `/api/servers/${server.id}`, storage)).toBe(200);
  const { space } = await api.settings();
  const impatient = { space: { ...space, graceMinutes: 0 } };
  expect(await api.status("PUT", "/api/settings", impatient)).toBe(200);
  await api.user({ username: "zhangmin", diskQuota: 8 * MIB });
  const owner = await apiOf("zhangmin");
  const writes = "while :; do head -c 200000 /dev/urandom >>/home/zhangmin/data; sleep 1; done";
  const made = await owner.post<Instance>("/api/instances", {
    ...smallInstance(server.id, Engine.image),
    command: ["sh", "-c", writes],
  });
  const at = `/api/instances/${made.id}`;
  await expect.poll(async () => (await owner.get<Instance>(at)).frozen, patience).toBe("disk");

  await signIn(page, "zhangmin");
  await open(page, `/servers/instance_detail/${made.id}`, made.name);
  await expect(page.getByText("网盘已用完配额").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "重启", exact: true })).toBeDisabled();
  const makeRoom = page.getByRole("button", { name: "清理空间并继续" });
  await makeRoom.click();
  const dialog = page.getByRole("dialog", { name: `清理空间并继续：${made.name}` });
  await expect(dialog.getByText(/^网盘已用 .*，共 8\.00 MB/)).toBeVisible();
  await dialog.getByRole("button", { name: "继续运行" }).click();
  await expect(dialog.getByRole("alert")).toContainText("空间还不够");
  await dialog.getByRole("link", { name: "打开网盘" }).click();
  await expect(page).toHaveURL(/\/netdisk\/files/);
  expect(await owner.status("DELETE", "/disk/api/resources/home/data?permanent=true")).toBe(200);

  await open(page, `/servers/instance_detail/${made.id}`, made.name);
  await makeRoom.click();
  await dialog.getByRole("button", { name: "继续运行" }).click();
  await expect(page.getByText(`${made.name} 继续运行`)).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(makeRoom).toBeHidden();
  const paused = () => engine.docker("inspect", "-f", "{{.State.Paused}}", made.name);
  await expect.poll(paused, { timeout: 60_000 }).toBe("false");

  await owner.post<Instance>(`${at}/release`, undefined);
  await owner.until(at, ({ state }: Instance) => state === "released");
});
