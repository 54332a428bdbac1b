import type { Kind } from "../../../config/kind.ts";
import type { KeyRange } from "../../../etcd/etcd-values.ts";

/** The object that a key belongs to. */
export interface KeyParts {
  readonly group: string;
  readonly plural: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Replaces the empty group of core kinds and the empty namespace of cluster-scoped objects. No group or namespace has
 * this name.
 */
const coreGroup = "core";
const noNamespace = "_";

/**
 * The key of an object: `PREFIX/GROUP/PLURAL/NAMESPACE/NAME`. The version is not part of the key, because all versions
 * of a kind are the same objects. One kind, or one kind in one namespace, is one range.
 */
export function objectKey(prefix: string, { group, plural, namespace, name }: KeyParts): string {
  return `${prefix}/${group || coreGroup}/${plural}/${namespace || noNamespace}/${name}`;
}

/** The key prefix of all objects of a kind, or of those in one namespace. */
export function kindPrefix(prefix: string, { group, plural }: Pick<Kind, "group" | "plural">, namespace = ""): string {
  const kind = `${prefix}/${group || coreGroup}/${plural}/`;
  return namespace === "" ? kind : `${kind}${namespace}/`;
}

/** The range of keys with a prefix that ends in a slash. */
export function keysBelow(folder: string): KeyRange {
  return { key: Buffer.from(folder), end: Buffer.from(folder.replace(/\/$/u, "0")) };
}

/** Undefined if the key does not belong to an object. */
export function parseObjectKey(prefix: string, key: string): KeyParts | undefined {
  if (!key.startsWith(`${prefix}/`)) return undefined;
  const parts = key.slice(prefix.length + 1).split("/");
  const [group = "", plural = "", namespace = "", name = ""] = parts;
  if (parts.length !== 4 || parts.includes("")) return undefined;
  return {
    group: group === coreGroup ? "" : group,
    plural,
    namespace: namespace === noNamespace ? "" : namespace,
    name,
  };
}
