// The form of a build: the API's shape, with the choice between its two sources.
import type { Visibility } from "@/shared/images/visibility";
import type { BuildForm } from "./api";

export interface BuildFields {
  server: string | undefined;
  repository: string;
  tag: string;
  source: "dockerfile" | "context";
  dockerfile: string;
  context: string;
  push: boolean;
  noCache: boolean;
  visibility: Visibility;
  description: string;
}

export const newBuildFields: BuildFields = {
  server: undefined,
  repository: "",
  tag: "latest",
  source: "dockerfile",
  dockerfile: "FROM \n\nRUN \n",
  context: "",
  push: false,
  noCache: false,
  visibility: "public",
  description: "",
};

/** The state that “再次构建” passes through the history, which may hold anything. */
export const isDraft = (state: unknown): state is BuildFields =>
  typeof state === "object" && state !== null && "repository" in state && "dockerfile" in state;

export function buildPayload(fields: BuildFields): BuildForm {
  const { source, dockerfile, context, server = "", repository, tag, ...rest } = fields;
  return {
    ...rest,
    server,
    repository: repository.trim(),
    tag: tag.trim(),
    ...(source === "dockerfile" ? { dockerfile } : { context }),
  };
}
