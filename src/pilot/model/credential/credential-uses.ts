import type { View } from "../../../collection/collection.ts";
import type { ConfigId } from "../../../config/config.ts";
import { selects } from "../../../config/selector.ts";
import { oncePer } from "../../../lib/memo.ts";
import type { Gateway, ServerTls } from "../gateway/gateway.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import type { Sidecar } from "../scope/sidecar.ts";
import { scopeRefOf } from "../scope/sidecar-scope-for.ts";
import type { DestinationRule, TrafficPolicy } from "../traffic/destination-rule.ts";
import { authoritiesResourceName, secretResourceName } from "./secret-name.ts";

/** An object that names secrets. */
export interface CredentialUse {
  readonly owner: ConfigId;
  readonly namespace: string;
  readonly byGateway: boolean;
  /** SDS names, in the order of the object's fields. */
  readonly names: readonly string[];
}

type Client = Pick<Proxy, "type" | "namespace" | "labels">;

/**
 * The objects that name secrets and apply to this proxy. A proxy gets no private key that nothing of its configuration
 * names: a workload must not read all Secrets of its namespace through its sidecar.
 */
export function credentialUsesOf(proxy: Client, push: PushContext): readonly CredentialUse[] {
  const rules = ruleUses(push.destinationRules).filter(({ rule }) => ruleApplies(rule, proxy));
  if (proxy.type === "router") {
    const gateways = gatewayUses(push.gateways).filter(({ gateway }) => gatewayApplies(gateway, proxy));
    return [...gateways.map(({ use }) => use), ...rules.map(({ use }) => use)];
  }
  const sidecar = push.sidecars.get(scopeRefOf(proxy, push).sidecar);
  return [...(sidecar === undefined ? [] : sidecarUse(sidecar)), ...rules.map(({ use }) => use)];
}

function gatewayApplies({ selector, selectsIn }: Gateway, { namespace, labels }: Client): boolean {
  return (selectsIn === undefined || selectsIn === namespace) && selects(selector, labels);
}

/** Rules without a selector are for routers only: all sidecars of the mesh would need their secret. */
function ruleApplies({ selector, namespace }: DestinationRule, proxy: Client): boolean {
  if (selector === undefined) return proxy.type === "router";
  return namespace === proxy.namespace && selects(selector, proxy.labels);
}

const gatewayUses = oncePer((gateways: View<Gateway>) =>
  [...gateways.values()].flatMap((gateway) => {
    const { owner, namespace, servers } = gateway;
    const names = servers.flatMap(({ tls }) => (tls === undefined ? [] : serverNames(tls)));
    return names.length === 0 ? [] : [{ gateway, use: { owner, namespace, byGateway: true, names } }];
  }),
);

const ruleUses = oncePer((rules: View<DestinationRule>) =>
  [...rules.values()].flatMap((rule) => {
    const { owners, namespace, trafficPolicy, subsets } = rule;
    const names = [trafficPolicy, ...subsets.map((subset) => subset.trafficPolicy)].flatMap(policyNames);
    const [owner] = owners;
    if (owner === undefined || names.length === 0) return [];
    return [{ rule, use: { owner, namespace, byGateway: false, names } }];
  }),
);

function sidecarUse({ owner, namespace, ingress }: Sidecar): readonly CredentialUse[] {
  const names = ingress.flatMap(({ tls }) => (tls === undefined ? [] : serverNames(tls)));
  return names.length === 0 ? [] : [{ owner, namespace, byGateway: false, names }];
}

function serverNames({ mode, credentialNames, caCredentialName }: ServerTls): readonly string[] {
  const verifiesClients = mode === "mutual" || mode === "optional-mutual";
  const authorities = [caCredentialName, ...credentialNames].find((name) => name !== "");
  return [
    ...credentialNames.map(secretResourceName),
    ...(verifiesClients && authorities !== undefined ? [authoritiesResourceName(authorities)] : []),
  ];
}

function policyNames(policy: TrafficPolicy | undefined): readonly string[] {
  if (policy === undefined) return [];
  return [policy, ...policy.ports.values()].flatMap(({ tls }) => {
    if (tls === undefined || tls.credentialName === "") return [];
    const authorities = authoritiesResourceName(tls.credentialName);
    return tls.mode === "mutual" ? [secretResourceName(tls.credentialName), authorities] : [authorities];
  });
}
