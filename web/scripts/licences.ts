// Under which licences npm packages may come in: into the pages, and as tools that only build and test them. Crates are
// held to deny.toml. A licence is given as in package.json, an SPDX expression.

/** Each asks for no more than to be named, which the page 关于 does; Zlib, as in deny.toml, not even for that. */
const inPages = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "Zlib",
]);

/** What they are used on is not bound by them. */
const asTools = new Set([...inPages, "CC0-1.0", "MPL-2.0", "Python-2.0"]);

/**
 * Packages that give none in package.json, or none that SPDX knows, with what their sources say. Each is looked at in one
 * version; another one is refused until it was.
 */
const looked: Readonly<Record<string, string>> = {
  "combine-errors@3.0.3": "MIT",
  // Its package.json says BSD; its LICENSE has the two clauses.
  "duck@0.1.12": "BSD-2-Clause",
};

interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}

export interface Lock {
  packages: Record<string, LockedPackage>;
}

/** What follows the last `node_modules/`: packages may lie in those that need them. */
export function packageName(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

export function licenceOf(name: string, version: string, given: string | undefined): string | undefined {
  return looked[`${name}@${version}`] ?? given;
}

/** The packages of a lock file whose licence is not one of those above, or unknown; each with its reason. */
export function licenceFaults(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, { version = "", license, dev }]) => {
    if (path === "") return [];
    const name = packageName(path);
    const licence = licenceOf(name, version, license);
    if (licence !== undefined && isAllowed(licence, dev ? asTools : inPages)) return [];
    return [`${name}@${version} (${dev ? "tool" : "pages"}): ${licence ?? "no licence"}`];
  });
}

/** Whether this expression leaves a choice in which every licence is allowed. What can't be read is not. */
export function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;

  function either(): boolean {
    let result = both();
    while (words[at] === "OR") {
      at += 1;
      // Both sides are read, whatever the first says.
      const other = both();
      result ||= other;
    }
    return result;
  }

  function both(): boolean {
    let result = one();
    while (words[at] === "AND") {
      at += 1;
      const other = one();
      result &&= other;
    }
    return result;
  }

  function one(): boolean {
    const word = words[at];
    at += 1;
    if (word !== "(") return word !== undefined && allowed.has(word);
    const result = either();
    const closed = words[at] === ")";
    at += 1;
    return result && closed;
  }

  const result = either();
  return result && at === words.length;
}
