// What the product is made of, as CycloneDX 1.5: the crates in the program, the npm packages in its pages, and the
// distribution's packages in the container image. To standard output, the same for the same lock files.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [release, epoch, ...base] = process.argv.slice(2);
const root = join(import.meta.dirname, "..");

function ask(program, ...words) {
  return execFileSync(program, words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** As SPDX has it; crates of old times write a slash. */
function licences(text) {
  return text ? [{ expression: text.replaceAll(/\s*\/\s*/g, " OR ") }] : undefined;
}

/** SHA-256 of each crate's archive, as Cargo.lock has it. */
function checksums() {
  const packages = readFileSync(join(root, "Cargo.lock"), "utf8").split("[[package]]");
  const found = (text, key) => new RegExp(`^${key} = "(.*)"$`, "m").exec(text)?.[1];
  return new Map(packages.map((text) => [`${found(text, "name")} ${found(text, "version")}`, found(text, "checksum")]));
}

function crates() {
  const compiler = ask("rustc", "-vV");
  const host = /^host: (.*)$/m.exec(compiler)?.[1] ?? "";
  // Procedural macros and build scripts make code but are not in the program. So for the pages: web/scripts/crates.ts.
  const tree = ["-p", "yunlab", "-e", "normal,no-proc-macro", "--prefix", "none", "--no-dedupe", "-f", "{p}"];
  const built = new Set(
    ask("cargo", "tree", "--quiet", "--locked", ...tree)
      .split("\n")
      .map((line) => line.split(" ").slice(0, 2).join(" ")),
  );
  const metadata = JSON.parse(
    ask("cargo", "metadata", "--quiet", "--locked", "--format-version", "1", "--filter-platform", host),
  );
  const sums = checksums();
  const library = {
    name: "std",
    version: /^release: (.*)$/m.exec(compiler)?.[1] ?? "",
    licenses: licences("MIT OR Apache-2.0"),
    purl: undefined,
  };
  const found = metadata.packages
    .filter(({ name, version, source }) => source !== null && built.has(`${name} v${version}`))
    .map(({ name, version, license }) => ({
      name,
      version,
      licenses: licences(license),
      hashes: [{ alg: "SHA-256", content: sums.get(`${name} ${version}`) }].filter(({ content }) => content),
      purl: `pkg:cargo/${name}@${version}`,
    }));
  return [library, ...found];
}

function npmPackages() {
  const lock = JSON.parse(readFileSync(join(root, "web/package-lock.json"), "utf8"));
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path !== "" && !dev && !link)
    .map(([path, { version, license, integrity }]) => {
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      const [algorithm, base64] = (integrity ?? "").split("-");
      const content = Buffer.from(base64 ?? "", "base64").toString("hex");
      return {
        name,
        version,
        licenses: licences(license),
        hashes: algorithm === "sha512" ? [{ alg: "SHA-512", content }] : [],
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      };
    });
}

/** Given as `debian/libc6=2.36-9`. */
function basePackages() {
  return base.map((text) => {
    const [, distribution, name, version] = /^(.*)\/(.*)=(.*)$/.exec(text);
    return { name, version, purl: `pkg:deb/${distribution}/${name}@${encodeURIComponent(version)}?arch=amd64` };
  });
}

const byName = (a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1);
const named = (component) => ({
  type: "library",
  "bom-ref": component.purl ?? `${component.name}@${component.version}`,
  ...component,
});
const found = [...crates(), ...npmPackages(), ...basePackages()].map(named);
// A package may lie in more than one place of the tree.
const components = [...new Map(found.map((component) => [component["bom-ref"], component])).values()].sort(byName);
const hash = createHash("sha256").update(JSON.stringify([release, components])).digest("hex");
const uuid = [hash.slice(0, 8), hash.slice(8, 12), `5${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)];
const bom = {
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  serialNumber: `urn:uuid:${uuid.join("-")}`,
  version: 1,
  metadata: {
    timestamp: new Date(Number(epoch) * 1000).toISOString(),
    component: {
      type: "application",
      "bom-ref": `yunlab@${release}`,
      name: "yunlab",
      version: release,
      licenses: licences("Apache-2.0"),
    },
  },
  components,
};
process.stdout.write(`${JSON.stringify(bom, null, 1)}\n`);
