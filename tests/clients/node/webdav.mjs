// The npm package webdav, which updates parts of files where the server says that it can.

import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createClient } from "webdav";
import {
  contents,
  entry,
  expect,
  expectRoom,
  folder,
  names,
  origin,
  refused,
  step,
  stored,
  version,
} from "./harness.mjs";

console.log("webdav", version("webdav"));

const client = createClient(`${origin}/disk/dav`, {
  username: process.env.YUNLAB_USER,
  password: process.env.YUNLAB_APP_PASSWORD,
});
const { large } = contents;
const listed = async (path) => (await client.getDirectoryContents(path)).map((item) => item.basename).sort();

await step("folders", async () => {
  expect("exists of what is not there", false, await client.exists(folder));
  await client.createDirectory(folder);
  await client.createDirectory(`${folder}/names`);
  await client.createDirectory(`${folder}/深/更 深/b`, { recursive: true });
  expect("exists of a new folder", true, await client.exists(`${folder}/深/更 深/b`));
  await refused("a folder that is there", 405, () => client.createDirectory(folder));
});

for (const [name, content] of Object.entries(contents)) {
  await step(`upload of ${name}`, async () => {
    await client.putFileContents(`${folder}/${name}`, content);
    expect(`${name} on the server`, content, await stored(`${folder}/${name}`));
    expect(`${name} read back`, content, await client.getFileContents(`${folder}/${name}`));
  });
}

for (const name of names) {
  await step(`name ${name}`, async () => {
    const path = `${folder}/names/${name}`;
    await client.putFileContents(path, name);
    expect(`${name} on the server`, Buffer.from(name), await stored(path));
    expect(`${name} read back`, name, await client.getFileContents(path, { format: "text" }));
  });
}

await step("list", async () => {
  expect("names in the list", [...names].sort(), await listed(`${folder}/names`));
  const files = (await client.getDirectoryContents(folder)).filter((item) => item.type === "file");
  const sizes = files.map((item) => [item.basename, item.size]).sort();
  expect(
    "sizes in the list",
    [
      ["empty", 0],
      ["large", 3_000_000],
      ["one", 1],
    ],
    sizes,
  );
});

await step("stat", async () => {
  const stat = await client.stat(`${folder}/large`);
  expect("stat", ["file", 3_000_000], [stat.type, stat.size]);
  expect("there is an etag", true, Boolean(stat.etag));
  const modified = new Date((await entry(`${folder}/large`)).modified);
  expect("modified", Math.floor(modified / 1000), Date.parse(stat.lastmod) / 1000);
  expect("stat of a folder", "directory", (await client.stat(folder)).type);
});

await step("streams", async () => {
  await new Promise((resolve, reject) => {
    const writes = client.createWriteStream(`${folder}/stream`, {}, resolve);
    writes.on("error", reject);
    pipeline(Readable.from([large.subarray(0, 1_000_000), large.subarray(1_000_000)]), writes).catch(reject);
  });
  expect("a stream on the server", large, await stored(`${folder}/stream`));
  expect("a stream read back", large, await buffer(client.createReadStream(`${folder}/stream`)));
  const range = { start: 1_000_000, end: 1_000_099 };
  expect(
    "a range",
    large.subarray(1_000_000, 1_000_100),
    await buffer(client.createReadStream(`${folder}/stream`, { range })),
  );
});

await step("not over what is there", async () => {
  const written = await client.putFileContents(`${folder}/one`, "2", { overwrite: false });
  expect(
    "a file that was not overwritten",
    [false, "1"],
    [written, (await stored(`${folder}/one`)).toString()],
  );
});

await step("partial update", async () => {
  await client.putFileContents(`${folder}/part`, "0123456789");
  await client.partialUpdateFileContents(`${folder}/part`, 3, 5, "abc");
  expect("a part in the middle", "012abc6789", (await stored(`${folder}/part`)).toString());
  await client.partialUpdateFileContents(`${folder}/part`, 9, 11, "xyz");
  expect("a part past the end", "012abc678xyz", (await stored(`${folder}/part`)).toString());
});

await step("quota", async () => {
  await expectRoom("quota at the root", () => client.getQuota());
  await expectRoom("quota at /home", () => client.getQuota({ path: "/home/" }));
});

await step("lock", async () => {
  const lock = await client.lock(`${folder}/part`);
  await refused("a write without the lock's token", 423, () =>
    client.putFileContents(`${folder}/part`, "no"),
  );
  await client.putFileContents(`${folder}/part`, "yes", {
    headers: { If: `(<${lock.token.replace(/[<>]/g, "")}>)` },
  });
  await client.unlock(`${folder}/part`, lock.token);
  expect("a write with the lock's token", "yes", (await stored(`${folder}/part`)).toString());
});

await step("moves and copies", async () => {
  await client.moveFile(`${folder}/one`, `${folder}/改名 #1.txt`);
  expect("the renamed file", "1", (await stored(`${folder}/改名 #1.txt`)).toString());
  await refused("a move onto a file", 412, () =>
    client.moveFile(`${folder}/改名 #1.txt`, `${folder}/large`, { overwrite: false }),
  );
  await client.copyFile(`${folder}/names`, `${folder}/names 2`);
  await client.moveFile(`${folder}/names 2`, `${folder}/names 3`);
  expect("names after a copy and a move", [...names].sort(), await listed(`${folder}/names 3`));
  expect("what was moved is gone", false, await client.exists(`${folder}/names 2`));
});

await step("deletion", async () => {
  await client.deleteFile(`${folder}/large`);
  expect("exists of a deleted file", false, await client.exists(`${folder}/large`));
  await client.deleteFile(folder);
  expect("exists of the deleted folder", false, await client.exists(folder));
  await refused("the list of the deleted folder", 404, () => client.getDirectoryContents(folder));
});
