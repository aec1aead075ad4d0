// Puts among the pages what the product is made of and under which licences: the npm packages that are bundled, and the
// crates in the program. The page 关于 shows it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { crates } from "./crates.ts";
import { type Licensed, licenceTexts, thirdParty } from "./licence-texts.ts";
import { type Lock, licenceOf, packageName } from "./licences.ts";

const web = join(import.meta.dirname, "..");

/** Where the pages ask for it. */
export const thirdPartyFile = "third-party.json";

/** Workers are bundled by themselves, before the pages that start them. */
const inWorkers = new Set<string>();

export function noteWorkerModules(): Plugin {
  return {
    name: "third-party-workers",
    apply: "build",
    generateBundle() {
      for (const id of this.getModuleIds()) inWorkers.add(id);
    },
  };
}

export function writeThirdParty(): Plugin {
  return {
    name: "third-party",
    apply: "build",
    generateBundle() {
      const found = [...bundled([...this.getModuleIds(), ...inWorkers]), ...crates()];
      this.emitFile({ type: "asset", fileName: thirdPartyFile, source: JSON.stringify(thirdParty(found)) });
    },
  };
}

/** The packages that these modules are of. */
export function bundled(modules: Iterable<string>): Licensed[] {
  const lock: Lock = JSON.parse(readFileSync(join(web, "package-lock.json"), "utf8"));
  const paths = new Set([...modules].flatMap((id) => packagePath(id) ?? []));
  return [...paths].map((path) => {
    const locked = lock.packages[path];
    // Its licence was looked at as a tool's.
    if (!locked || locked.dev) throw new Error(`${path} is bundled, but no dependency in package.json`);
    const name = packageName(path);
    const { version, license, repository } = JSON.parse(
      readFileSync(join(web, path, "package.json"), "utf8"),
    );
    return {
      name,
      version,
      licence: licenceOf(name, version, license) ?? "",
      source: "npm" as const,
      link: linkOf(repository) ?? "",
      texts: licenceTexts(join(web, path)),
    };
  });
}

/** `node_modules/a/node_modules/@b/c` in the address of a module, which may have a mark in front and a query behind. */
export function packagePath(id: string): string | undefined {
  return /(?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+/.exec(id)?.[0].slice(0, -1);
}

function linkOf(repository: string | { url?: string } | undefined): string | undefined {
  const url = typeof repository === "string" ? repository : repository?.url;
  const plain = url
    ?.replace(/^git\+/, "")
    .replace(/^git:/, "https:")
    .replace(/\.git$/, "");
  return plain?.startsWith("https://") ? plain : undefined;
}
