// An upload that the end of the server cuts off twice. As large as is wanted: `UPLOAD_MB=2048 npm run e2e -- netdisk-cut`.
import { join } from "node:path";
import { openFolder, upload } from "./fixtures/disk";
import { sha256, sha256At, withFolder, writeRandom } from "./fixtures/files";
import { arrive, expect, test } from "./fixtures/test";
import { offsets, reaches, slow } from "./fixtures/transfers";

const size = Number(process.env.UPLOAD_MB ?? (process.env.E2E_ALL ? 300 : 120)) * 1024 * 1024;
/** Long enough for everything on the slowest machine: 4 MB a second. */
const patience = 60_000 + size / 4_000;

test("goes on by itself when the server was killed and came back, twice", async ({
  page,
  disk,
  server,
  faults,
}) => {
  test.setTimeout(2 * patience);
  faults.expect(/net::ERR_|WebSocket/);
  // A piece is refused while an earlier one still arrives, and is sent again.
  faults.expectStatus(409);
  const sent = offsets(page);
  await arrive(page, "zhangmin");
  await openFolder(page, "/home/");
  await withFolder(async (folder) => {
    const path = join(folder, "big.bin");
    await writeRandom(path, size);
    // All of it would take seven seconds.
    await slow(page, size / 7);
    await upload(page, "文件", path);
    for (const percent of [30, 65]) {
      await reaches(page, "big.bin", percent, patience);
      await server.kill();
      await server.startAgain();
    }
    await slow(page, 0);
    await expect(page.getByText("上传完成")).toBeVisible({ timeout: patience });
    // Each time it began where the server had stopped, and not from the beginning.
    const resumed = sent.filter((offset, index) => index > 0 && offset > 0);
    expect(resumed.length).toBeGreaterThanOrEqual(2);
    expect(sent.filter((offset) => offset === 0)).toHaveLength(1);
    expect(await sha256At(`${server.origin}/disk/api/raw/home/big.bin`, disk.token)).toBe(await sha256(path));
  });
});
