import { compareTexts } from "../../../lib/compare.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import { credentialUsesOf } from "./credential-uses.ts";
import type { KeyAccess } from "./key-access.ts";

/** All facts of a proxy that decide about its secrets. Proxies with equal facts may have the same secrets. */
export interface SecretClient {
  /** Of the authenticated identity. Without one, the namespace that the proxy claims; it opens only what is public. */
  readonly namespace: string;
  readonly keys: KeyAccess;
  /** The SDS names in configuration that applies to the proxy. Sorted. */
  readonly used: readonly string[];
  /** The part of them that a Gateway of the proxy's own namespace uses. Sorted. */
  readonly usedByOwnGateways: readonly string[];
}

export function secretClientOf(proxy: Proxy, push: PushContext): SecretClient {
  const { identity, keyAccess = "not-authenticated" } = proxy;
  const namespace = identity?.namespace ?? proxy.namespace;
  const uses = credentialUsesOf(proxy, push);
  const own = uses.filter((use) => use.byGateway && use.namespace === namespace);
  return { namespace, keys: keyAccess, used: namesIn(uses), usedByOwnGateways: namesIn(own) };
}

function namesIn(uses: readonly { readonly names: readonly string[] }[]): readonly string[] {
  return [...new Set(uses.flatMap(({ names }) => names))].toSorted(compareTexts);
}
