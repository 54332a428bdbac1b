import { type Config, configId } from "../../../config/config.ts";
import type { Issue } from "../../../config/issue.ts";
import type { IssueCode } from "../../../config/issue-codes.ts";
import type { Kind } from "../../../config/kind.ts";
import { kindServedAs } from "../../../config/kinds.ts";
import { type ParsedFile, parseConfigs } from "../../../config/parse/parse.ts";
import { substituteOf } from "../../../config/parse/substitute.ts";
import { decodeText } from "../../../config/yaml/characters.ts";
import { type KeyParts, objectKey, parseObjectKey } from "./object-key.ts";

export interface ValueContext {
  /** The prefix of all keys, without a slash at the end. */
  readonly prefix: string;
  /** The name of the source, for origins. */
  readonly source: string;
  readonly kinds: readonly Kind[];
}

/** The parsed value of a key. */
export interface ReadValue {
  /** The object and its collection. Absent if the value is invalid, and for kinds that are not requested. */
  readonly object: { readonly config: Config; readonly collection: string } | undefined;
  /** In force instead of an unusable value without an earlier version. */
  readonly substitute?: ReadValue["object"];
  readonly issues: readonly Issue[];
}

/**
 * Reads one value like a file with one object: JSON or YAML, with the key as file name in positions. The object must
 * match its key, so two keys cannot hold the same object.
 */
export function readValue(key: string, value: Buffer, context: ValueContext): ReadValue {
  const { prefix, source, kinds } = context;
  const parts = parseObjectKey(prefix, key);
  if (parts === undefined)
    return refused([issueAt(key, "wrong-key", `expected ${prefix}/GROUP/PLURAL/NAMESPACE/NAME`)]);
  const text = decodeText(value);
  const parsed = parseConfigs({ text, file: key, source, kinds, defaultNamespace: parts.namespace });
  const read = objectIn(parsed, key, context);
  return read.object === undefined ? { ...read, substitute: substituteFor(parts, parsed, { key, context }) } : read;
}

function objectIn({ configs, issues }: ParsedFile, key: string, { prefix, kinds }: ValueContext): ReadValue {
  const [config, second] = configs;
  if (config === undefined) return { object: undefined, issues };
  if (second !== undefined)
    return refused([issueAt(key, "several-objects", "a key must contain exactly one object"), ...issues]);
  const row = kindServedAs(kinds, config.apiVersion, config.kind);
  if (row === undefined) return { object: undefined, issues };
  const wanted = objectKey(prefix, { ...row, namespace: config.namespace, name: config.name });
  if (wanted !== key) return refused([issueAt(key, "wrong-key", `its object belongs to the key ${wanted}`), ...issues]);
  return { object: { config, collection: row.collection }, issues };
}

/** The key identifies the object, even if nothing of the value can be read. */
function substituteFor(
  { group, plural, namespace, name }: KeyParts,
  { broken, substitutes }: ParsedFile,
  { key, context: { source, kinds } }: { readonly key: string; readonly context: ValueContext },
): ReadValue["object"] {
  const row = kinds.find((kind) => kind.group === group && kind.plural === plural);
  if (row === undefined) return undefined;
  const id = configId(row.kind, namespace, name);
  const origin = { source, reference: key, locate: () => undefined };
  const metadata = { namespace, name, labels: {}, createdAt: 0 };
  const config = broken.has(id) ? substitutes.get(id) : substituteOf({ row, metadata, spec: undefined, origin });
  return config && { config, collection: row.collection };
}

function refused(issues: readonly Issue[]): ReadValue {
  return { object: undefined, issues };
}

function issueAt(key: string, code: IssueCode, message: string): Issue {
  return { severity: "error", code, object: "", path: "", message, place: { file: key, line: 1, column: 1 } };
}
