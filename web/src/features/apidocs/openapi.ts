// As much of OpenAPI 3.1 as our documents have.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  description?: string;
  example?: unknown;
  minimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema | boolean;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: Schema | boolean;
}

export type Schemas = Record<string, Schema>;

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

export type Content = Record<string, { schema?: Schema }>;

export interface Operation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  /** The required role, and the scopes of access tokens that each cover it. */
  "x-access": { who: "public" | "signed-in" | "administrator"; scopes: string[] };
}

export interface OpenApi {
  /** Where its paths begin. */
  servers: { url: string }[];
  /** The subjects of its calls, in order; the description is the Chinese name. */
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas };
}
