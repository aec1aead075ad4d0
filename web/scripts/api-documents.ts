// Puts the API documents among the pages, at the addresses where the server hands them out. They are served as they are
// committed: the server never builds them.
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

export function copyApiDocuments(): Plugin {
  return {
    name: "api-documents",
    apply: "build",
    generateBundle() {
      for (const name of ["portal.json", "disk.json"]) {
        const document = JSON.parse(readFileSync(new URL(`../../openapi/${name}`, import.meta.url), "utf8"));
        this.emitFile({ type: "asset", fileName: `api/openapi/${name}`, source: JSON.stringify(document) });
      }
    },
  };
}
