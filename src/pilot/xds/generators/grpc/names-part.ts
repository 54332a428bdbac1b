import type { NameSet } from "../../../../xds/resources/name-set.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import { isProxyless } from "../../../model/proxy/proxy.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { ScopeRef } from "../../../model/scope/sidecar-scope.ts";
import { scopeRefOf } from "../../../model/scope/sidecar-scope-for.ts";
import type { PartInputs } from "../../generator.ts";

/**
 * Inputs that proxyless clients with the same scope share. The part is built by name, because clients call few of the
 * services they see.
 */
export interface NamesPart extends PartInputs {
  readonly ref: ScopeRef;
  /** gRPC always requests by name; "all" is for debug pages. */
  readonly names: NameSet | "all";
}

/** None for other proxies. */
export function namesParts(proxy: Proxy, push: PushContext, asked: NameSet | "all"): readonly NamesPart[] {
  if (!isProxyless(proxy)) return [];
  return [{ ref: scopeRefOf(proxy, push), names: asked }];
}
