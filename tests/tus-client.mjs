// Uploads one file with tus-js-client and prints its progress: "at ADDRESS" once it is known, "sent BYTES" after each
// piece, "done" at the end. `node tus-client.mjs ENDPOINT TOKEN FILE PIECE [ADDRESS]`; with an address it resumes that
// upload, as a page does after a reload.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(new URL("../web/package.json", import.meta.url));
const { Upload } = require("tus-js-client");
const [endpoint, token, file, piece, address] = process.argv.slice(2);

const upload = new Upload(createReadStream(file), {
  endpoint,
  ...(address && { uploadUrl: address }),
  uploadSize: (await stat(file)).size,
  chunkSize: Number(piece),
  retryDelays: [100, 200, 400, 800, 1600, 3200, 6400],
  headers: { Authorization: `Bearer ${token}` },
  metadata: { filename: "any", lastModified: "1700000000000" },
  onUploadUrlAvailable: () => console.log(`at ${upload.url}`),
  onChunkComplete: (_piece, sent) => console.log(`sent ${sent}`),
  onSuccess: () => console.log("done"),
  onError: (error) => {
    console.log(`failed: ${error.message}`);
    process.exitCode = 1;
  },
});
upload.start();
