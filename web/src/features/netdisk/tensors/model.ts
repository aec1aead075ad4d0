// What the views of weights and arrays show, whatever format they come from.

export interface Tensor {
  name: string;
  type: string;
  shape: readonly number[];
  /** Of its content; `null` where the format does not tell. */
  bytes: number | null;
}

export interface TensorFile {
  /** The name of the format. */
  format: string;
  facts: readonly (readonly [string, string])[];
  /** What people should know before they load it. */
  warnings: readonly string[];
  tensors: readonly Tensor[];
  /** Tensors that are not listed. */
  omitted: number;
  /** The first values of an array. */
  values?: { names: readonly string[]; rows: readonly (readonly string[])[]; note: string };
}

/** More would not be looked through. */
export const mostTensors = 100_000;

const mostFacts = 60;
const longestFact = 300;

export const factsOf = (entries: Iterable<readonly [string, unknown]>): [string, string][] => {
  const facts: [string, string][] = [];
  for (const [name, value] of entries) {
    if (facts.length >= mostFacts) break;
    facts.push([name.slice(0, 120), wordsOf(value).slice(0, longestFact)]);
  }
  return facts;
};

function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

export const elementsOf = (shape: readonly number[]) => shape.reduce((product, side) => product * side, 1);

export const shapeText = (shape: readonly number[]) => (shape.length === 0 ? "标量" : shape.join(" × "));
