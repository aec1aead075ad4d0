// Writes `.br` and `.gz` beside every built text asset, so that the server sends them as they are and spends no
// time on compression. Small files are left alone: their headers weigh more than what is saved.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../dist", import.meta.url));
const compressible = /\.(js|mjs|css|html|svg|json|wasm|txt|map)$/;
const smallest = 1024;

const totals = { files: 0, raw: 0, br: 0 };
for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
  const path = join(root, name);
  if (!compressible.test(name) || !statSync(path).isFile()) continue;
  const body = readFileSync(path);
  if (body.length <= smallest) continue;
  const br = brotliCompressSync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
  writeFileSync(`${path}.br`, br);
  writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
  totals.files += 1;
  totals.raw += body.length;
  totals.br += br.length;
  console.log(
    `${String(br.length).padStart(8)} br  ${String(body.length).padStart(8)}  ${relative(root, path)}`,
  );
}
console.log(`${totals.files} files, ${totals.raw} bytes, ${totals.br} bytes as Brotli`);
