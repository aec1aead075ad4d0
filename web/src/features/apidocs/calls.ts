// The calls of both documents, by subject, and finding some of them.
import { queryOptions } from "@tanstack/react-query";
import { asApiError, problemOf } from "@/shared/api/problem";
import { plainFetch } from "@/shared/api/signed-fetch";
import type { OpenApi, Operation, Schemas } from "./openapi";

export const documents = [
  { name: "portal", title: "平台接口" },
  { name: "disk", title: "网盘接口" },
] as const;

type DocumentName = (typeof documents)[number]["name"];

export interface Call extends Operation {
  /** A short description. */
  title: string;
  method: string;
  /** From the server's address on. */
  path: string;
  schemas: Schemas;
}

export interface Subject {
  /** Also its anchor on the page. */
  key: string;
  document: DocumentName;
  title: string;
  calls: Call[];
}

async function load(name: DocumentName): Promise<OpenApi> {
  const address = new URL(`/api/openapi/${name}.json`, location.origin);
  const response = await plainFetch(new Request(address));
  if (!response.ok) throw problemOf(response, null);
  return response.json();
}

/** Both documents; they change with the program only. */
export const subjectsQuery = queryOptions({
  queryKey: ["api-documents"],
  queryFn: async () => {
    try {
      const loaded = await Promise.all(documents.map(({ name }) => load(name)));
      return documents.flatMap(({ name }, at) => subjectsOf(name, loaded[at]));
    } catch (error) {
      throw asApiError(error);
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** By subject, in the document's order. */
export function subjectsOf(document: DocumentName, openapi: OpenApi | undefined): Subject[] {
  const { paths = {}, components = { schemas: {} }, tags = [], servers = [] } = openapi ?? {};
  const base = servers[0]?.url.replace(/\/$/, "") ?? "";
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      title: operation.summary ?? "",
      method: method.toUpperCase(),
      path: base + path,
      schemas: components.schemas,
    })),
  );
  return tags
    .map(({ name, description }) => ({
      key: `${document}-${name}`,
      document,
      title: description ?? name,
      calls: calls.filter((call) => call.tags?.[0] === name),
    }))
    .filter((subject) => subject.calls.length > 0);
}

/** The calls that match every word: in method, path, name, subject or description. */
export function matching(subjects: readonly Subject[], query: string): Subject[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return subjects
    .map((subject) => ({
      ...subject,
      calls: subject.calls.filter(({ method, path, operationId, title, description }) => {
        const text = [method, path, operationId, title, description, subject.title].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ calls }) => calls.length > 0);
}
