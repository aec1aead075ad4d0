// Protection against scripts in PDFs: CVE-2026-16633 is fixed in 6.2.108, and no part that could run one is used.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const sources = join(import.meta.dirname, "../../..");

const using = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  .map((path) => readFileSync(join(sources, path), "utf8"))
  .filter((source) => source.includes("pdfjs-dist"));

describe("pdf.js", () => {
  it("is past the flaw", () => {
    const manifest = join(sources, "../node_modules/pdfjs-dist/package.json");
    const [major = 0, minor = 0] = JSON.parse(readFileSync(manifest, "utf8")).version.split(".").map(Number);
    expect(major * 1000 + minor).toBeGreaterThanOrEqual(6002);
  });

  it("only reads and draws: neither forms, links and scripts of a PDF, nor WebAssembly", () => {
    expect(using.length).toBeGreaterThan(0);
    const imported = using.flatMap((source) =>
      [...source.matchAll(/import (?:type )?([^;]*?) from "(pdfjs-dist[^"]*)"/g)].map(
        ([, names = "", from]) =>
          from === "pdfjs-dist" ? names.replaceAll(/[{}\s]|type /g, "").split(",") : [from],
      ),
    );
    expect(new Set(imported.flat())).toEqual(
      new Set([
        "GlobalWorkerOptions",
        "PDFDataRangeTransport",
        "PDFDocumentProxy",
        "PDFPageProxy",
        "TextLayer",
        "getDocument",
        "pdfjs-dist/build/pdf.worker.min.mjs?url",
      ]),
    );
    // Any other mention of the library is not one of these imports.
    expect(using.join("").match(/pdfjs-dist/g)?.length).toBe(imported.length);
    expect(using.join("")).toContain("useWasm: false");
    for (const word of ["enableScripting", "enableXfa", "getJSActions", "wasmUrl", "rendererSrc"]) {
      expect(using.join("")).not.toContain(word);
    }
  });
});
