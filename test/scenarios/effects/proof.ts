import type { Config } from "../../../src/config/config.ts";
import type { SchemaField } from "../../../src/config/effect/schema-fields.ts";
import { kindOf, kinds } from "../../../src/config/kinds.ts";
import { parseObject } from "../../../src/config/parse/parse-object.ts";
import { assert } from "../../../src/lib/assert.ts";
import type { CatalogueClient } from "../../../src/testing/mesh/held-leases.ts";
import type { WrittenObject } from "../../../src/testing/mesh/written-objects.ts";
import { isSame, type Made, ObservedMesh } from "./observed-mesh.ts";
import { isIn, type Mapping, variants } from "./variants.ts";

/** A mesh in which fields of one object may matter. */
export interface Example {
  /** The object whose fields are changed. */
  readonly subject: WrittenObject;
  readonly around: readonly WrittenObject[];
  readonly clients: readonly CatalogueClient[];
}

/** How hard it is tried to see a difference. */
export interface Effort {
  /** How many values of a field are compared in each place. */
  readonly values: number;
  /** In how many examples a field is tried that none of them sets. */
  readonly examples: number;
}

/**
 * The effect of a changed field: it changes a byte in some example, or in none. It is refused if validation accepts
 * fewer than two values, because then nothing was compared.
 */
export type FieldEffect = "changes" | "unchanged" | "refused";

/** Finds out which fields of the subjects of examples change a byte. */
export class Proof {
  readonly #examples: readonly { readonly example: Example; readonly mesh: Promise<ObservedMesh> }[];

  constructor(examples: readonly Example[]) {
    this.#examples = examples.map((example) => ({
      example,
      mesh: ObservedMesh.with([example.subject, ...example.around].map(readExample), example.clients),
    }));
  }

  /** Looks where the field is set already, if anywhere: that is what an example with the field is for. */
  async judge({ fields }: SchemaField, effort: Effort): Promise<FieldEffect> {
    const likely = this.#examples.filter(({ example }) => setsField(example, fields));
    let unchanged = 0;
    for (const { example, mesh } of likely.length > 0 ? likely : this.#examples) {
      const verdict = judgeIn(example, await mesh, fields, effort.values);
      if (verdict === "changes") return verdict;
      if (verdict === "unchanged") unchanged += 1;
      if (likely.length === 0 && unchanged === effort.examples) break;
    }
    return unchanged > 0 ? "unchanged" : "refused";
  }

  /** Whether a mesh without the subject makes the same as with it, in all examples. */
  async judgePresence(): Promise<FieldEffect> {
    for (const { example, mesh: promised } of this.#examples) {
      const [mesh, config] = [await promised, readExample(example.subject)];
      const made = mesh.look();
      mesh.delete(config);
      if (!isSame(made, mesh.look())) return "changes";
      mesh.set(config);
    }
    return "unchanged";
  }
}

export function setsField({ subject }: Example, fields: SchemaField["fields"]): boolean {
  return isIn(bodyOf(subject), fields);
}

function judgeIn({ subject }: Example, mesh: ObservedMesh, fields: SchemaField["fields"], values: number): FieldEffect {
  let verdict: FieldEffect = "refused";
  for (const group of validVariants(subject, fields)) {
    let first: Made | undefined;
    let left = values;
    for (const config of group) {
      mesh.set(config);
      const made = mesh.look();
      if (first === undefined) first = made;
      else if (!isSame(first, made)) return "changes";
      else verdict = "unchanged";
      left -= 1;
      if (left === 0) break;
    }
  }
  mesh.set(readExample(subject));
  return verdict;
}

/** The valid ones of an object's variants. Those of a group differ in the field alone, and in what they say. */
export function* validVariants(subject: WrittenObject, fields: SchemaField["fields"]): Generator<Iterable<Config>> {
  for (const group of variants(bodyOf(subject), fields)) yield validIn(subject, group);
}

function* validIn(subject: WrittenObject, group: Iterable<Mapping>): Generator<Config> {
  const versions = new Set<string>();
  for (const body of group) {
    const { config } = read(withBody(subject, body));
    // Some values say the same, such as false and nothing.
    if (config === undefined || versions.has(config.version)) continue;
    versions.add(config.version);
    yield config;
  }
}

function isWhole({ apiVersion, kind }: WrittenObject): boolean {
  return kindOf(apiVersion, kind)?.body === "object";
}

function bodyOf(object: WrittenObject): Mapping {
  return (isWhole(object) ? object : object.spec) as Mapping;
}

function withBody(object: WrittenObject, body: Mapping): WrittenObject {
  const { apiVersion, kind, metadata } = object;
  return isWhole(object) ? { ...body, apiVersion, kind, metadata } : { ...object, spec: body };
}

function readExample(object: WrittenObject): Config {
  const { config, issues } = read(object);
  const reasons = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  assert(config !== undefined, `the ${object.kind} of an example is valid: ${reasons}`);
  return config;
}

const locate = () => ({ file: "example.yaml", line: 1, column: 1 });

function read(object: WrittenObject) {
  return parseObject(
    { fields: object, text: "", locate, locateLater: locate },
    { file: "example.yaml", source: "effects", kinds, defaultNamespace: "shop", readable: true },
  );
}
