import type { Kind } from "../../config/kind.ts";
import { MeshError } from "../../lib/errors.ts";
import { kindNamed } from "./kind-named.ts";

interface NamedObject {
  readonly kind: Kind;
  /** Empty for a kind of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * The object that `KIND/NAMESPACE/NAME` names, or `KIND/NAME` for a kind of the whole cluster. With a default namespace,
 * `KIND/NAME` is enough for every kind. Throws `bad-option`.
 */
export function objectNamed(text: string, defaultNamespace?: string): NamedObject {
  const [word = "", ...words] = text.split("/");
  const kind = kindNamed(word);
  const isClusterWide = kind.scope === "cluster";
  const most = isClusterWide ? 1 : 2;
  const [name, given] = words.toReversed();
  const namespace = isClusterWide ? "" : (given ?? defaultNamespace);
  if (name === undefined || namespace === undefined || words.length > most || words.includes("")) {
    const isShort = isClusterWide || defaultNamespace !== undefined;
    throw new MeshError("bad-option", `${text}: expected ${isShort ? "KIND/NAME" : "KIND/NAMESPACE/NAME"}`);
  }
  return { kind, namespace, name };
}
