// A call as a curl command.
import type { Call } from "./calls";
import { exampleOf } from "./schema-text";

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Null for websockets. */
export function curlOf(call: Call): string | null {
  const { method, path, parameters = [], requestBody, responses, schemas } = call;
  if ("101" in responses) return null;
  const lines = [`curl${verb(method)}`];
  if (call["x-access"].who !== "public") lines.push(`-H "Authorization: Bearer $YUNLAB_TOKEN"`);
  for (const { name, in: place, required } of parameters) {
    if (place === "header" && required) lines.push(`-H ${quoted(`${name}: …`)}`);
  }
  const [kind, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (kind === "application/json") {
    lines.push(`-H 'Content-Type: application/json'`);
    lines.push(`-d ${quoted(JSON.stringify(exampleOf(body?.schema ?? {}, schemas)))}`);
  } else if (kind) {
    lines.push(`-H ${quoted(`Content-Type: ${kind}`)}`, "--data-binary @FILE");
  }
  const asked = parameters.filter(({ in: place, required }) => place === "query" && required);
  const query = asked.map(({ name }) => `${name}=…`).join("&");
  lines.push(`"$YUNLAB_URL${path}${query && `?${query}`}"`);
  return lines.join(" \\\n  ");
}

function verb(method: string): string {
  if (method === "GET") return "";
  return method === "HEAD" ? " --head" : ` -X ${method}`;
}
