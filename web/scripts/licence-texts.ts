// The texts of licences as packages bring them, each kept once.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ThirdParty, ThirdPartyPackage } from "../src/features/profile/third-party.ts";

const names = /^(un)?(licen[cs]e|copying|copyright|notice)([-_.].*)?$/i;
const otherKinds = /\.(c?js|ts|json|html|py|rs|sh|toml)$/i;
/** Folders of what is not built in. */
const unused = new Set([
  ".github",
  "benches",
  "build-aux",
  "docs",
  "examples",
  "fuzz",
  "node_modules",
  "resources",
  "sqlcipher",
  "tests",
]);
/** Works that a package brings along lie in folders of theirs. */
const depth = 4;
/** For tools that lie beside a library, or one of two licences of which the other was chosen. */
const notChosen = /^\s*GNU (LESSER |LIBRARY )?GENERAL PUBLIC LICENSE/i;

/** The texts that lie in a folder, in the order of their names. */
export function licenceTexts(folder: string, below = depth): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = entries.filter(
    (entry) => entry.isFile() && names.test(entry.name) && !otherKinds.test(entry.name),
  );
  const folders = entries.filter((entry) => entry.isDirectory() && below > 0 && !unused.has(entry.name));
  const texts = files.map((file) =>
    readFileSync(join(folder, file.name), "utf8").replaceAll(/\r\n?/g, "\n").trim(),
  );
  return [
    ...texts.filter((text) => text !== "" && !notChosen.test(text)),
    ...folders.flatMap((entry) => licenceTexts(join(folder, entry.name), below - 1)),
  ];
}

/** A package with the texts that it brings. */
export type Licensed = Omit<ThirdPartyPackage, "texts"> & { texts: string[] };

/** In the order of names. What differs in white space only is one text. */
export function thirdParty(found: readonly Licensed[]): ThirdParty {
  const places = new Map<string, number>();
  const texts: string[] = [];
  const placeOf = (text: string) => {
    const key = text.replaceAll(/\s+/g, " ");
    let place = places.get(key);
    if (place === undefined) {
      place = texts.push(text) - 1;
      places.set(key, place);
    }
    return place;
  };
  // Before the texts get their places: bundlers find packages in any order.
  const packages = withMissingTexts(found.toSorted(byName)).map((one) => ({
    ...one,
    texts: [...new Set(one.texts.map(placeOf))],
  }));
  return { packages, texts };
}

/**
 * Some packages bring no text. Those of the same sources as another have its; else the Apache licence, which names
 * nobody, is the same for all.
 */
function withMissingTexts(found: readonly Licensed[]): Licensed[] {
  const apache = found
    .flatMap(({ texts }) => texts)
    .find((text) => /^Apache License\s+Version 2\.0/.test(text));
  return found.map((one) => {
    if (one.texts.length > 0) return one;
    const sibling = found.find(
      ({ link, licence, texts }) => link === one.link && licence === one.licence && texts.length > 0,
    );
    const general = apache && /\bApache-2\.0\b/.test(one.licence) ? [apache] : [];
    return { ...one, texts: sibling?.texts ?? general };
  });
}

function byName(a: { name: string; version: string }, b: { name: string; version: string }): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.version < b.version ? -1 : 1;
}
