import type { ConfigId } from "../../../config/config.ts";
import { hostnamesMatch } from "../../../config/grammar/hostname.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { keyOf, kindNameOf } from "../../model/config-id.ts";
import type { Conflict } from "../../model/conflict.ts";
import { policyWorkloadOf } from "../../model/policy/policy-workload.ts";
import { outboundPolicyRefsFor, type PolicyRefs, trafficPoliciesOf } from "../../model/policy/traffic-policies.ts";
import { unservedPolicies } from "../../model/policy/unserved-policies.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isSidecar } from "../../model/proxy/proxy.ts";
import type { PushContext, Since } from "../../model/push-context.ts";
import { virtualServicesWithConnections } from "../../model/scope/egress-scope.ts";
import type { ScopeRef, SidecarScope } from "../../model/scope/sidecar-scope.ts";
import { scopeRefOf, sidecarScopeFor } from "../../model/scope/sidecar-scope-for.ts";
import { isHeadless } from "../../model/service/service.ts";
import type { VirtualService } from "../../model/traffic/virtual-service.ts";
import { routesConnections, sendsConnectionsTo } from "../../model/traffic/virtual-service.ts";
import { candidateName, listenerCandidates } from "../../networking/listener/outbound/listener-candidate.ts";
import type { OutboundClient } from "../../networking/listener/outbound/outbound-client.ts";
import { outboundClientOf } from "../../networking/listener/outbound/outbound-client.ts";
import { buildNamed, buildOutbound, planOutbound } from "../../networking/listener/outbound/outbound-listeners.ts";
import {
  allBut,
  type Generated,
  type GeneratorRun,
  isPolicyKind,
  orPolicies,
  type PartFamily,
  type PartInputs,
} from "../generator.ts";
import { affectedHostnames } from "./affected-hostnames.ts";
import { sidecarDependencies } from "./dependencies.ts";

/** Inputs that sidecars share if they have the same scope and equal listener facts. */
interface OutboundPart extends PartInputs {
  readonly ref: ScopeRef;
  readonly client: OutboundClient;
  readonly policies: PolicyRefs;
}

const concerns = orPolicies(
  allBut("Instance", "Gateway", "PeerAuthentication"),
  "Telemetry",
  "Extension",
  "ExtensionProvider",
);

/** LDS of sidecars, outbound: a listener per address and port of the services they see. */
export function outboundListeners(writer: ProtoWriter): PartFamily<OutboundPart> {
  function generate({ inputs, push, since }: GeneratorRun<OutboundPart>): Generated {
    const { ref, client } = inputs;
    const scope = sidecarScopeFor(ref, push);
    const context = { scope, client, push, policies: trafficPoliciesOf(inputs.policies, push) };
    // Port 0 disables all listeners of sidecars.
    if (push.mesh.outboundPort <= 0) return { covers: "all", resources: [] };
    const hostnames = since === undefined ? "all" : affectedServices(ref, push, since);
    if (hostnames === "all" || since === undefined) return { covers: "all", resources: buildOutbound(context, writer) };
    if (hostnames.size === 0) return { covers: new Set(), resources: [] };
    const names = new Set([...namesFor(hostnames, inputs, since.push), ...namesFor(hostnames, inputs, push)]);
    return { covers: names, resources: buildNamed(context, writer, names) };
  }

  return {
    name: "outbound",
    parts: (proxy, push) => (isSidecar(proxy) ? [outboundPart(proxy, push)] : []),
    concerns,
    dependencies: ({ ref }, push) => sidecarDependencies(ref, push),
    generate,
    conflicts: conflictsOf,
  };
}

/** Services that want the same listener, and policies that the proxy cannot follow. */
function conflictsOf({ ref, client, policies: refs }: OutboundPart, push: PushContext): readonly Conflict[] {
  const scope = sidecarScopeFor(ref, push);
  const { stats } = client.capabilities;
  const policies = trafficPoliciesOf(refs, push);
  const unserved = unservedPolicies({ policies, mode: "client", stats, scope, mesh: push.mesh });
  return [...planOutbound({ scope, client, push }).flatMap(({ conflicts }) => conflicts), ...unserved];
}

function outboundPart(proxy: Proxy, push: PushContext): OutboundPart {
  const ref = scopeRefOf(proxy, push);
  const client = outboundClientOf(proxy, ref, push);
  const policies = outboundPolicyRefsFor(policyWorkloadOf(proxy, push), push);
  return { ref, client, policies };
}

/** The listeners of services with these names. */
function* namesFor(
  hostnames: ReadonlySet<string>,
  { ref, client }: OutboundPart,
  push: PushContext,
): Generator<string> {
  for (const candidate of listenerCandidates(sidecarScopeFor(ref, push), client, push, hostnames))
    yield candidateName(candidate);
}

/** The services whose listeners a change may alter; "all" when this is unknown. */
function affectedServices(ref: ScopeRef, push: PushContext, since: Since): ReadonlySet<string> | "all" {
  const changed = [...since.changed];
  if (changed.map(kindNameOf).some((kind) => kind === "Sidecar" || (isPolicyKind(kind) && concerns(kind))))
    return "all";
  const scopeIn = (each: PushContext) => sidecarScopeFor(ref, each);
  const affected = affectedHostnames(scopeIn, push, since, (kind) => concerns(kind) && kind !== "Endpoints");
  if (affected === "all") return affected;
  const pushes = [since.push, push];
  const hostnames = new Set([...affected, ...pushes.flatMap((each) => headlessAmong(changed, each))]);
  // The resolution of a destination affects the chains of connections that go there.
  const virtualServices = pushes.flatMap((each) => [
    ...changedAmong(changed, each),
    ...scopeIn(each)
      .egress.flatMap((egress) => virtualServicesWithConnections(egress))
      .filter((one) => sendsConnectionsTo(hostnames, one)),
  ]);
  for (const scope of pushes.map(scopeIn)) addMatched(hostnames, scope, virtualServices);
  return hostnames;
}

/** Endpoints affect listeners only for headless services. */
function headlessAmong(changed: readonly ConfigId[], push: PushContext): readonly string[] {
  return changed.flatMap((id) => {
    const service = kindNameOf(id) === "Endpoints" ? push.services.get(keyOf(id)) : undefined;
    return service !== undefined && isHeadless(service) ? [service.hostname] : [];
  });
}

/** Virtual services without TCP and TLS routes affect no listener. */
function changedAmong(changed: readonly ConfigId[], push: PushContext): readonly VirtualService[] {
  return changed.flatMap((id) => {
    const one = kindNameOf(id) === "VirtualService" ? push.virtualServices.get(keyOf(id)) : undefined;
    return one !== undefined && routesConnections(one) ? [one] : [];
  });
}

function addMatched(
  hostnames: Set<string>,
  { services }: SidecarScope,
  virtualServices: readonly VirtualService[],
): void {
  for (const host of new Set(virtualServices.flatMap(({ hosts }) => hosts))) {
    for (const { hostname } of services) if (hostnamesMatch(host, hostname)) hostnames.add(hostname);
  }
}
