import { isMapping } from "../../lib/is-mapping.ts";
import { type Config, configKey } from "../config.ts";
import { type PathStep, pathOf } from "../field-path.ts";
import { hasErrors } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { meshConfig } from "../kinds/mesh-config.ts";
import { meshNetworks } from "../kinds/mesh-networks.ts";
import { kindOf, kinds } from "../kinds.ts";
import { type ParsedMessage, parseMeshConfig, parseMeshNetworks } from "../parse/mesh-files.ts";
import { parseConfigs } from "../parse/parse.ts";
import { objectsOf } from "../parse/raw-object.ts";
import { parseDocuments } from "../yaml/yaml.ts";

/** One value in the text of an object: a text, a number or a boolean. */
export interface Leaf {
  readonly steps: readonly PathStep[];
  /** As in `spec.http[0].timeout`. */
  readonly path: string;
  readonly value: string | number | boolean;
}

type Mapping = Readonly<Record<string, unknown>>;

/** A user's object as its author wrote it. It can be written again with another value in one place. */
export interface WrittenObject {
  readonly config: Config;
  readonly kind: Kind;
  /** All values in the order of the text, except those that say which kind of object this is, and its status. */
  readonly leaves: readonly Leaf[];
  /** The object with another value, or without it. Undefined if the result is invalid, or the same. */
  readonly rewritten: (leaf: Leaf, value: Leaf["value"] | undefined) => Config | undefined;
}

/** Undefined for an object without a text: it comes from a registry, or it is a Secret. */
export function writtenObject(config: Config): WrittenObject | undefined {
  const kind = kindOf(config.apiVersion, config.kind);
  const fields = kind === undefined ? undefined : fieldsOf(config, kind);
  if (kind === undefined || fields === undefined) return undefined;
  return {
    config,
    kind,
    leaves: [...leavesIn(fields, [])].filter(({ steps }) => !isIdentity(steps)),
    rewritten(leaf, value) {
      const changed = parse(withValue(fields, leaf.steps, value) as Mapping, config, kind);
      return changed === undefined || isSame(changed, config) ? undefined : changed;
    },
  };
}

function isSame(a: Config, b: Config): boolean {
  return a.version === b.version && configKey(a) === configKey(b);
}

/** The fields as written. A file with a message alone has no other fields than those of the spec. */
function fieldsOf({ origin, ...config }: Config, kind: Kind): Mapping | undefined {
  if (origin.text === undefined) return undefined;
  const [document, ...others] = parseDocuments(origin.text, "");
  if (isMessageFile(kind)) return isMapping(document?.value) ? { spec: document.value } : undefined;
  const objects = (document === undefined ? [] : [document, ...others]).flatMap(objectsOf);
  const mine = objects.map(({ fields }) => fields).filter((fields) => isNamed(fields, config));
  return mine.length === 1 ? mine[0] : undefined;
}

function isNamed({ kind, metadata }: Mapping, config: Pick<Config, "kind" | "name" | "namespace">): boolean {
  if (kind !== config.kind || !isMapping(metadata) || metadata["name"] !== config.name) return false;
  return metadata["namespace"] === undefined || metadata["namespace"] === config.namespace;
}

function isMessageFile({ collection }: Kind): boolean {
  return collection === meshConfig.collection || collection === meshNetworks.collection;
}

function isIdentity([first, second]: readonly PathStep[]): boolean {
  return first === "apiVersion" || first === "kind" || first === "status" || (first === "metadata" && second === "uid");
}

function* leavesIn(value: unknown, steps: readonly PathStep[]): Iterable<Leaf> {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    yield { steps, path: pathOf(steps), value };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* leavesIn(item, [...steps, index]);
  } else if (isMapping(value)) {
    for (const [key, field] of Object.entries(value)) yield* leavesIn(field, [...steps, key]);
  }
}

/** A copy with another value at the end of the steps. Without a value, a field or an item is left out. */
function withValue(tree: unknown, [step, ...rest]: readonly PathStep[], value: Leaf["value"] | undefined): unknown {
  if (step === undefined) return value;
  const isLast = rest.length === 0 && value === undefined;
  if (Array.isArray(tree)) {
    const index = Number(step);
    return isLast ? tree.toSpliced(index, 1) : tree.with(index, withValue(tree[index], rest, value));
  }
  const entries = Object.entries(isMapping(tree) ? tree : {});
  const kept = isLast ? entries.filter(([key]) => key !== step) : entries;
  return Object.fromEntries(kept.map(([key, field]) => [key, key === step ? withValue(field, rest, value) : field]));
}

/** Reads the fields as the source of the object would. JSON is YAML, so that the same code reads it. */
function parse(fields: Mapping, { origin: { source }, namespace }: Config, kind: Kind): Config | undefined {
  const file = "";
  if (isMessageFile(kind)) {
    const read = kind.collection === meshConfig.collection ? parseMeshConfig : parseMeshNetworks;
    const { config, issues }: ParsedMessage = read({ text: JSON.stringify(fields["spec"]), file, source });
    return hasErrors(issues) ? undefined : config;
  }
  const text = JSON.stringify(fields);
  const { configs, issues } = parseConfigs({ text, file, source, kinds, defaultNamespace: namespace || "default" });
  return hasErrors(issues) || configs.length !== 1 ? undefined : configs[0];
}
