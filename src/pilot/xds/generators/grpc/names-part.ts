import type { NameSet } from "../../../../xds/resources/name-set.ts";
import { kindOf, nameOf } from "../../../model/config-id.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import { isProxyless } from "../../../model/proxy/proxy.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Scope, ScopeRef } from "../../../model/scope/sidecar-scope.ts";
import { scopeRefId, scopeRefOf } from "../../../model/scope/sidecar-scope-for.ts";
import type { PartInputs } from "../../generator.ts";

/** What proxyless clients that see the same services share. Made by name: of all that they may call, few is called. */
export interface NamesPart extends PartInputs {
  readonly ref: ScopeRef;
  /** gRPC always names what it wants; "all" is for people who look. */
  readonly names: NameSet | "all";
}

/** None for proxies that are not of the kind. */
export function namesParts(proxy: Proxy, push: PushContext, asked: NameSet | "all"): readonly NamesPart[] {
  if (!isProxyless(proxy)) return [];
  const ref = scopeRefOf(proxy, push);
  const what = asked === "all" ? "all" : "named";
  return [{ id: JSON.stringify([scopeRefId(ref), what]), ref, names: asked }];
}

/** The scope of a part that looks at these services alone: changes of others leave it as it is. */
export function narrowed(scope: Scope, hostnames: ReadonlySet<string>): Scope {
  return {
    ...scope,
    dependsOn: (changed) => {
      const kind = kindOf(changed);
      const ofService = kind === "Service" || kind === "Endpoints";
      return (!ofService || hostnames.has(nameOf(changed))) && scope.dependsOn(changed);
    },
  };
}
