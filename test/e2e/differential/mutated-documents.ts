import { kindOf } from "../../../src/config/kinds.ts";
import { assert } from "../../../src/lib/assert.ts";
import { mutateTree } from "../../../src/testing/random/mutate-tree.ts";
import type { Random } from "../../../src/testing/random/random.ts";
import { Donors, Mutator } from "../judged/mutate-object.ts";
import { keySet, type Original } from "./originals.ts";

/** An object with a name that no other document has. Its text is JSON, in one line. */
export interface MutatedDocument {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
}

/** Makes as many mutations of the objects as given: mostly of values of fields, some of the shape of the spec. */
export function mutatedDocuments(count: number, objects: readonly Original[], random: Random): MutatedDocument[] {
  const parts = objects.map(({ apiVersion, kind, spec }) => ({ desc: rowOf(apiVersion, kind).schema, value: spec }));
  const mutator = new Mutator(random, new Donors(parts));
  const made: MutatedDocument[] = [];
  for (let tries = 0; made.length < count && tries < count * 2; tries += 1) {
    const original = random.pick(objects);
    const spec = changedSpec(original, mutator, random);
    if (spec === undefined) continue;
    const text = documentText(original, { name: `d${made.length}`, spec }, random);
    const { kind, metadata } = original;
    if (isReadable(text)) made.push({ id: `${kind}/${metadata.namespace ?? ""}/d${made.length}`, kind, text });
  }
  return made;
}

/** The changed spec as JSON. */
function changedSpec({ apiVersion, kind, spec }: Original, mutator: Mutator, random: Random): string | undefined {
  if (random.once(8)) return mapping(mutateTree(spec, random));
  if (kind === "RequestAuthentication" && random.once(4)) {
    const jwks = mapping(mutateTree(keySet, random));
    return jwks === undefined ? undefined : JSON.stringify({ ...spec, jwtRules: [{ issuer: "shop", jwks }] });
  }
  const part = { desc: rowOf(apiVersion, kind).schema, value: spec };
  // More than one change hides a difference behind another error.
  return JSON.stringify(mutator.mutate(part, random.pick([1, 1, 1, 3])));
}

function documentText(
  { apiVersion, kind, metadata }: Original,
  { name, spec }: Readonly<Record<"name" | "spec", string>>,
  random: Random,
): string {
  const { group, versions } = rowOf(apiVersion, kind);
  const more = random.once(30) ? { annotations: random.pick(annotations) } : {};
  const head = { apiVersion: `${group}/${random.pick(versions)}`, kind, metadata: { ...metadata, name, ...more } };
  return printable(`${JSON.stringify(head).slice(0, -1)},"spec":${spec}}`);
}

const annotations = [
  { "istio.io/dry-run": "true" },
  { "istio.io/dry-run": "maybe" },
  { "sidecar.istio.io/inject": "false" },
  { "networking.istio.io/exportTo": "*" },
];

function rowOf(apiVersion: string, kind: string) {
  const row = kindOf(apiVersion, kind);
  assert(row !== undefined, `${kind} of ${apiVersion} is a kind`);
  return row;
}

/** Nothing for YAML that is not JSON, and for JSON that is no mapping. */
function mapping(text: string): string | undefined {
  return text.startsWith("{") && text.endsWith("}") ? text : undefined;
}

/** YAML has characters only as escapes that JSON may have as they are. */
function printable(json: string): string {
  return json.replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu, escaped);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A parser of YAML in Go reads neither one half of a surrogate nor a long key, and ends the file there. */
function isReadable(json: string): boolean {
  return !/\\ud[89a-f]|"[^"]{900,}":/iu.test(json);
}
