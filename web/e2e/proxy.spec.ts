// Behind a reverse proxy that lacks all settings: pages say which, and go on where they can. With them set:
// tests/tests/it/proxies.rs.
import { join } from "node:path";
import { openFolder, upload } from "./fixtures/disk";
import { sha256, sha256At, withFolder, writeRandom } from "./fixtures/files";
import { Nginx } from "./fixtures/nginx";
import { arrive, expect, test as plain } from "./fixtures/test";
import { offsets } from "./fixtures/transfers";

const test = plain.extend({
  baseURL: async ({ server }, provide) => {
    const nginx = await Nginx.start(server.origin);
    await provide(nginx.origin);
    await nginx.stop();
  },
});

const megabyte = 1024 * 1024;

test("A7 behind a default nginx an upload arrives in pieces, and the page names what sockets need", async ({
  page,
  disk,
  server,
  faults,
}) => {
  faults.expect(/WebSocket/);
  faults.expectStatus(400, 413);
  const sent = offsets(page);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    const path = join(folder, "model.pth");
    await writeRandom(path, 10 * megabyte);
    await upload(page, "文件", path);
    await expect(page.getByText("上传完成")).toBeVisible();
    const at = `${server.origin}/disk/api/raw/home/model.pth`;
    expect(await sha256At(at, disk.token)).toBe(await sha256(path));
  });
  // 10 MiB and 8 MiB are refused, then it is one at a time.
  expect(sent).toEqual([0, 0, ...Array.from({ length: 10 }, (_, piece) => piece * megabyte)]);

  const notice = page.getByRole("alert").filter({ hasText: "实时更新不可用" });
  await expect(notice).toContainText("到服务器的 WebSocket 连接没有通过。如果前面有反向代理");
  await expect(page.getByText("与服务器的实时连接断开")).toHaveCount(0);
});
