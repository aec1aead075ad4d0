// Uppy with its tus plugin, which knows one endpoint for all files. Its files are Buffers here, for tus-js-client takes
// no Blob outside of browsers.
import Uppy from "@uppy/core";
import Tus from "@uppy/tus";
import {
  bearer,
  children,
  contents,
  encoded,
  entry,
  expect,
  fail,
  folder,
  names,
  origin,
  rest,
  step,
  stored,
} from "./harness.mjs";

console.log(`uppy ${Uppy.VERSION}, its tus plugin ${Tus.VERSION}`);

// Uploads these files by their names into a folder at once; what is not there in the end is reported.
async function upload(what, at, files, options) {
  const uppy = new Uppy({ logger: { debug() {}, warn() {}, error() {} } });
  uppy.use(Tus, {
    endpoint: `${origin}/disk/api/tus${encoded(at)}/`,
    headers: bearer,
    retryDelays: [],
    ...options,
  });
  for (const [name, data] of Object.entries(files))
    uppy.addFile({ name, type: "application/octet-stream", data });
  const { failed } = await uppy.upload();
  for (const file of failed) fail(`${what}: ${file.name}`, "no error", file.error);
  for (const [name, data] of Object.entries(files)) {
    expect(`${what}: ${name} on the server`, data, await stored(`${at}/${name}`));
  }
  uppy.destroy();
}

// tus knows no folders.
await rest("POST", "resources", `${folder}/names/`);
await rest("POST", "resources", `${folder}/parts/`);

await step("upload", () => upload("upload", folder, contents, { chunkSize: 1 << 20 }));
await step("hard names", () =>
  upload("hard names", `${folder}/names`, Object.fromEntries(names.map((name) => [name, Buffer.from(name)]))),
);
await step("parts side by side", () =>
  upload("parts", `${folder}/parts`, { large: contents.large }, { parallelUploads: 3 }),
);

await step("what is there in the end", async () => {
  expect("names in the folder", [...names].sort(), await children(`${folder}/names`));
  await rest("DELETE", "resources", folder);
  expect("the deleted folder", null, await entry(folder));
});
