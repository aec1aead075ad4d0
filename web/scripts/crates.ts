// The crates that are built into the program, asked of cargo, and the standard library.
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { type Licensed, licenceTexts } from "./licence-texts.ts";

interface Metadata {
  packages: {
    name: string;
    version: string;
    license: string | null;
    repository: string | null;
    manifest_path: string;
    /** Null for our own. */
    source: string | null;
  }[];
}

const root = join(import.meta.dirname, "../..");

function ask(program: string, ...words: string[]): string {
  return execFileSync(program, words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
}

export function crates(): Licensed[] {
  const compiler = ask("rustc", "-vV");
  const host = /^host: (.*)$/m.exec(compiler)?.[1] ?? "";
  // Procedural macros and build scripts make code but are not in the program.
  const tree = ["-p", "yunlab", "-e", "normal,no-proc-macro", "--prefix", "none", "--no-dedupe", "-f", "{p}"];
  const built = new Set(
    ask("cargo", "tree", "--quiet", "--locked", ...tree)
      .split("\n")
      .map((line) => line.split(" ").slice(0, 2).join(" ")),
  );
  const metadata: Metadata = JSON.parse(
    ask("cargo", "metadata", "--quiet", "--locked", "--format-version", "1", "--filter-platform", host),
  );
  const library: Licensed = {
    name: "std",
    version: /^release: (.*)$/m.exec(compiler)?.[1] ?? "",
    licence: "MIT OR Apache-2.0",
    source: "Rust",
    link: "https://github.com/rust-lang/rust",
    texts: [],
  };
  const found = metadata.packages
    .filter(({ name, version, source }) => source !== null && built.has(`${name} v${version}`))
    .map(({ name, version, license, repository, manifest_path }) => ({
      name,
      version,
      licence: license ?? "",
      source: "crates.io" as const,
      link: repository ?? "",
      texts: licenceTexts(dirname(manifest_path)),
    }));
  return [library, ...found];
}
