// tus-js-client: one endpoint for a folder with the file's name in the metadata, parts side by side, and resuming.
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { FileUrlStorage, Upload } from "tus-js-client";
import {
  bearer,
  children,
  contents,
  encoded,
  entry,
  expect,
  folder,
  names,
  origin,
  refused,
  rest,
  step,
  stored,
  version,
  work,
} from "./harness.mjs";

console.log("tus-js-client", version("tus-js-client"));

const mebibyte = 1 << 20;
const { large } = contents;
const endpoint = (path) => `${origin}/disk/api/tus${encoded(path)}`;

// An upload into the folder, and the promise of its end.
function prepared(file, filename, { at = `${folder}/`, ...options } = {}) {
  const begun = new Upload(file, {
    endpoint: endpoint(at),
    headers: bearer,
    metadata: { filename },
    retryDelays: null,
    ...options,
  });
  const end = new Promise((resolve, reject) =>
    Object.assign(begun.options, { onSuccess: resolve, onError: reject }),
  );
  return { begun, end };
}

async function upload(...what) {
  const { begun, end } = prepared(...what);
  begun.start();
  await end;
}

// Uploads the first chunk and holds the second one back.
async function uploadFirstChunk(filename, options) {
  const onBeforeRequest = (request) => request.getHeader("Upload-Offset") > 0 && new Promise(() => {});
  const { begun, end } = prepared(large, filename, { ...options, onBeforeRequest });
  const first = new Promise((resolve) => Object.assign(begun.options, { onChunkComplete: resolve }));
  begun.start();
  await Promise.race([first, end]);
  return begun;
}

// tus knows no folders.
await rest("POST", "resources", `${folder}/names/`);

for (const [name, content] of Object.entries(contents)) {
  await step(`upload of ${name} to its own address`, async () => {
    await upload(content, "any", { at: `${folder}/own ${name}` });
    expect(`own ${name} on the server`, content, await stored(`${folder}/own ${name}`));
  });
  await step(`upload of ${name} to the folder's address`, async () => {
    await upload(content, name);
    expect(`${name} on the server`, content, await stored(`${folder}/${name}`));
  });
}

for (const name of names) {
  await step(`name ${name}`, async () => {
    await upload(Buffer.from(name), name, { at: `${folder}/names/` });
    expect(`${name} on the server`, Buffer.from(name), await stored(`${folder}/names/${name}`));
  });
}

await writeFile(`${work}/large`, large);

await step("a stream in chunks", async () => {
  await upload(createReadStream(`${work}/large`), "stream", {
    chunkSize: mebibyte,
    uploadSize: large.length,
  });
  expect("a stream on the server", large, await stored(`${folder}/stream`));
});

await step("a body along with the creation", async () => {
  await upload(large, "along", { uploadDataDuringCreation: true });
  expect("along on the server", large, await stored(`${folder}/along`));
});

async function abortAndResume(filename, options) {
  const remembered = {
    ...options,
    chunkSize: mebibyte / 2,
    urlStorage: new FileUrlStorage(`${work}/uploads.json`),
    fingerprint: async () => filename,
  };
  const begun = await uploadFirstChunk(filename, remembered);
  // Parts are remembered once each has an address.
  while ((await begun.findPreviousUploads()).length === 0) await setTimeout(10);
  await begun.abort();
  expect(`${filename} while it is unfinished`, null, await stored(`${folder}/${filename}`));
  const { begun: again, end } = prepared(large, filename, remembered);
  again.resumeFromPreviousUpload((await again.findPreviousUploads())[0]);
  again.start();
  await end;
  expect(`${filename} on the server`, large, await stored(`${folder}/${filename}`));
}

await step("resumed after it was aborted", () => abortAndResume("resumed"));

await step("terminated", async () => {
  const begun = await uploadFirstChunk("terminated", { chunkSize: mebibyte });
  await begun.abort(true);
  const answer = await fetch(begun.url, { method: "HEAD", headers: { ...bearer, "Tus-Resumable": "1.0.0" } });
  expect("a terminated upload", 404, answer.status);
  expect("a terminated file", null, await stored(`${folder}/terminated`));
});

await step("parts side by side to the folder's address", async () => {
  await upload(large, "parts", { parallelUploads: 3 });
  expect("parts on the server", large, await stored(`${folder}/parts`));
});

await step("parts side by side to their file's address", async () => {
  await upload(large, "any", { at: `${folder}/own parts`, parallelUploads: 3 });
  expect("own parts on the server", large, await stored(`${folder}/own parts`));
});

await step("parts resumed after they were aborted", () =>
  abortAndResume("resumed parts", { parallelUploads: 2 }),
);

await step("parts over a file", async () => {
  const before = Buffer.from("good");
  await upload(before, "any", { at: `${folder}/good` });
  const over = { endpoint: `${endpoint(`${folder}/good`)}?override=true`, parallelUploads: 3 };
  try {
    await upload(large, "any", over);
    expect("the file that parts replaced", large, await stored(`${folder}/good`));
  } catch (error) {
    expect("the file that refused parts left", before, await stored(`${folder}/good`));
    throw error;
  }
});

await step("refusals", async () => {
  await refused("an upload onto a file", 409, () => upload(Buffer.from("2"), "one"));
  expect("the file that was there", contents.one, await stored(`${folder}/one`));
});

await step("what is there in the end", async () => {
  expect("names in the folder", [...names].sort(), await children(`${folder}/names`));
  await rest("DELETE", "resources", folder);
  expect("the deleted folder", null, await entry(folder));
});
