// The product's dependencies, as listed by the build (scripts/third-party.ts).
import { queryOptions } from "@tanstack/react-query";
import { asApiError, problemOf } from "@/shared/api/problem";
import { signedFetch } from "@/shared/api/signed-fetch";

export interface ThirdPartyPackage {
  name: string;
  version: string;
  /** As the package gives it: an SPDX expression, or nearly. */
  licence: string;
  /** Its registry; `Rust` for the parts of the compiler. */
  source: "npm" | "crates.io" | "Rust";
  link: string;
  /** Places in the list of all texts. */
  texts: number[];
}

export interface ThirdParty {
  packages: ThirdPartyPackage[];
  texts: string[];
}

async function load(): Promise<ThirdParty> {
  const response = await signedFetch(new Request(new URL("/third-party.json", location.origin)));
  if (!response.ok) throw problemOf(response, null);
  return response.json();
}

/** Changes with the program only. */
export const thirdPartyQuery = queryOptions({
  queryKey: ["third-party"],
  queryFn: () =>
    load().catch((error: unknown) => {
      throw asApiError(error);
    }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Packages whose name, version, licence or registry matches every word. */
export function matchingPackages(
  packages: readonly ThirdPartyPackage[],
  search: string,
): ThirdPartyPackage[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return packages.filter(({ name, version, licence, source }) => {
    const text = `${name} ${version} ${licence} ${source}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
