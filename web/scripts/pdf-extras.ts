// Puts what pdf.js fetches while it reads a file beside the scripts: character tables for Chinese, Japanese and Korean
// text whose fonts are not embedded, and the standard fonts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const library = fileURLToPath(new URL("../node_modules/pdfjs-dist", import.meta.url));
const version: string = JSON.parse(readFileSync(join(library, "package.json"), "utf8")).version;

/** Files below `assets/` are kept by browsers for good, so the version is in the name. */
export const pdfExtras = `assets/pdfjs-${version}/`;

export function copyPdfExtras(): Plugin {
  return {
    name: "pdf-extras",
    apply: "build",
    generateBundle() {
      for (const folder of ["cmaps", "standard_fonts"]) {
        for (const name of readdirSync(join(library, folder))) {
          const source = readFileSync(join(library, folder, name));
          this.emitFile({ type: "asset", fileName: `${pdfExtras}${folder}/${name}`, source });
        }
      }
    },
  };
}
