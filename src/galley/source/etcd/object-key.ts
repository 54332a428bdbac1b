import type { Kind } from "../../../config/kind.ts";

/** Which object a key is for. */
export interface KeyParts {
  readonly group: string;
  readonly plural: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** Stands for the group of Kubernetes' own kinds, and for the namespace of what has none: no group or namespace is called so. */
const coreGroup = "core";
const noNamespace = "_";

/**
 * Where an object is kept: `PREFIX/GROUP/PLURAL/NAMESPACE/NAME`. The version is no part of it: all versions of a kind
 * are the same objects. Whoever reads one kind, or one kind in one namespace, reads one range.
 */
export function objectKey(prefix: string, { group, plural, namespace, name }: KeyParts): string {
  return `${prefix}/${group || coreGroup}/${plural}/${namespace || noNamespace}/${name}`;
}

/** The beginning of the keys of all objects of a kind, or of those in one namespace. */
export function kindPrefix(prefix: string, { group, plural }: Pick<Kind, "group" | "plural">, namespace = ""): string {
  const kind = `${prefix}/${group || coreGroup}/${plural}/`;
  return namespace === "" ? kind : `${kind}${namespace}/`;
}

/** The keys that begin with something that ends in a slash, as etcd wants ranges: the end is the first that does not. */
export function keysBelow(folder: string): { readonly key: Buffer; readonly range_end: Buffer } {
  return { key: Buffer.from(folder), range_end: Buffer.from(folder.replace(/\/$/u, "0")) };
}

/** Undefined when the key is not that of an object. */
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
