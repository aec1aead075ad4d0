// A schema as people read it: the shape of the JSON with a remark beside each field. And JSON that would fit it.
import type { Schema, Schemas } from "./openapi";

const nameOf = (ref: string) => ref.split("/").at(-1) ?? ref;

/** Resolves a reference, and merges `allOf`. */
function whole(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref) return whole(schemas[nameOf(schema.$ref)] ?? {}, schemas);
  if (!schema.allOf) return schema;
  const parts = schema.allOf.map((part) => whole(part, schemas));
  return {
    type: "object",
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required ?? []),
  };
}

const typesOf = ({ type }: Schema): string[] => (Array.isArray(type) ? type : type ? [type] : []);

const indent = (text: string) => text.replaceAll("\n", "\n  ");

/** `inside` are the names of the enclosing schemas: a recursive one is only named. */
export function schemaText(schema: Schema, schemas: Schemas, inside: readonly string[] = []): string {
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    if (inside.includes(name)) return name;
    return schemaText(whole(schema, schemas), schemas, [...inside, name]);
  }
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variants.map((variant) => schemaText(variant, schemas, inside)).join(" | ");
  if (schema.allOf) return schemaText(whole(schema, schemas), schemas, inside);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const types = typesOf(schema).map((type) => {
    if (type === "object") return objectText(schema, schemas, inside);
    if (type === "array") return arrayText(schema.items, schemas, inside);
    return schema.format && type !== "null" ? `${type} (${schema.format})` : type;
  });
  return types.join(" | ") || "any";
}

function arrayText(items: Schema["items"], schemas: Schemas, inside: readonly string[]): string {
  const one = typeof items === "object" ? schemaText(items, schemas, inside) : "any";
  return / \| /.test(one) && !one.endsWith("}") ? `(${one})[]` : `${one}[]`;
}

function objectText(schema: Schema, schemas: Schemas, inside: readonly string[]): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const lines = Object.entries(properties).map(([name, property]) => {
    const text = indent(schemaText(property, schemas, inside));
    const remark = (property.description ?? whole(property, schemas).description)?.replaceAll("\n", " ");
    const field = `${name}${required.includes(name) ? "" : "?"}: ${text}`;
    if (!remark) return `  ${field}`;
    return text.includes("\n") ? `  // ${remark}\n  ${field}` : `  ${field}  // ${remark}`;
  });
  if (typeof additionalProperties === "object") {
    lines.push(`  [key]: ${indent(schemaText(additionalProperties, schemas, inside))}`);
  }
  return lines.length > 0 ? `{\n${lines.join("\n")}\n}` : "{}";
}

/** The least that fits. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  const {
    example,
    enum: values,
    oneOf,
    anyOf,
    properties = {},
    required = [],
    minimum,
  } = whole(schema, schemas);
  if (example !== undefined) return example;
  if (values) return values[0];
  const [variant] = oneOf ?? anyOf ?? [];
  if (variant) return exampleOf(variant, schemas, depth + 1);
  switch (typesOf(whole(schema, schemas))[0]) {
    case "object": {
      if (depth > 4) return {};
      const names = Object.keys(properties).filter((name) => required.includes(name));
      return Object.fromEntries(
        names.map((name) => [name, exampleOf(properties[name] ?? {}, schemas, depth + 1)]),
      );
    }
    case "array":
      return [];
    case "integer":
    case "number":
      return minimum ?? 0;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "…";
  }
}
