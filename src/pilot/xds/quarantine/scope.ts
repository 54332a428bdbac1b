import { canonicalKey } from "../../../lib/canonical-key.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { proxyClassOf } from "../../model/proxy/proxy-class.ts";

/**
 * The proxies for which a refusal holds: a class, or one proxy of it. A proxy alone refuses an object that another
 * proxy of its class accepts.
 */
export interface Scope {
  /** Equal for equal scopes, and for no others. */
  readonly id: string;
  /** For people: `router 1.40.0 (3f2a91)`, with the node of a proxy alone. */
  readonly name: string;
  readonly classId: string;
  /** Undefined for a class. */
  readonly node: string | undefined;
}

export function classScope(proxy: Proxy): Scope {
  const { id, name } = proxyClassOf(proxy);
  return { id, name, classId: id, node: undefined };
}

/** One proxy alone. */
export function nodeScope(classScopeOfNode: Scope, node: string): Scope {
  const { classId, name } = classScopeOfNode;
  return { id: nodeScopeIdOf(classId, node), name: `${name} ${node}`, classId, node };
}

export function nodeScopeIdOf(classId: string, node: string): string {
  return canonicalKey({ classId, node });
}

export function covers({ classId, node }: Scope, proxy: Proxy): boolean {
  return proxyClassOf(proxy).id === classId && (node === undefined || node === proxy.nodeId);
}
