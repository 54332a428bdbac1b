import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../model/conflict.ts";
import { mtlsPolicyFor } from "../../model/mtls/mtls-policy.ts";
import { policyWorkloadOf } from "../../model/policy/policy-workload.ts";
import { type PolicyRefs, policyRefsFor, trafficPoliciesOf } from "../../model/policy/traffic-policies.ts";
import { unservedPolicies } from "../../model/policy/unserved-policies.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isSidecar } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { ScopeRef } from "../../model/scope/sidecar-scope.ts";
import { scopeRefOf, sidecarScopeFor } from "../../model/scope/sidecar-scope-for.ts";
import type { Workload } from "../../model/service/service-target.ts";
import type { InboundClient } from "../../networking/listener/inbound/inbound-client.ts";
import { inboundClientOf } from "../../networking/listener/inbound/inbound-client.ts";
import { buildInbound } from "../../networking/listener/inbound/inbound-listeners.ts";
import type { InboundPorts } from "../../networking/listener/inbound/inbound-ports.ts";
import { inboundPortsOf, isBound, withoutTaken } from "../../networking/listener/inbound/inbound-ports.ts";
import type { OutboundClient } from "../../networking/listener/outbound/outbound-client.ts";
import { outboundClientOf } from "../../networking/listener/outbound/outbound-client.ts";
import { takenNames } from "../../networking/listener/outbound/outbound-listeners.ts";
import {
  type Dependencies,
  type Generated,
  type GeneratorRun,
  only,
  orPolicies,
  type PartFamily,
  type PartInputs,
} from "../generator.ts";
import { sidecarDependencies, workloadDependencies } from "./dependencies.ts";

/** Inputs of one workload. */
interface InboundPart extends PartInputs {
  readonly workload: Workload;
  readonly ref: ScopeRef;
  readonly client: InboundClient;
  /** The facts of the outbound side, if both sides could bind the same address. */
  readonly outbound: OutboundClient | undefined;
  readonly policies: PolicyRefs;
}

/**
 * LDS of sidecars, inbound: listeners for the proxy's own workload. They are few and cheap, so each run builds all of
 * them.
 */
export function inboundListeners(writer: ProtoWriter): PartFamily<InboundPart> {
  function generate({ inputs, push }: GeneratorRun<InboundPart>): Generated {
    const { client, workload } = inputs;
    const { mesh } = push;
    if (mesh.outboundPort <= 0) return { covers: "all", resources: [] };
    const served = { ports: portsOf(inputs, push).ports, policy: mtlsPolicyFor(workload, push) };
    const policies = trafficPoliciesOf(inputs.policies, push);
    return { covers: "all", resources: buildInbound(served, { client, mesh, policies }, writer) };
  }

  return {
    name: "inbound",
    parts: (proxy, push) => (isSidecar(proxy) ? [inboundPart(proxy, push)] : []),
    concerns: orPolicies(
      only("Instance", "Service", "Endpoints", "Sidecar", "PeerAuthentication"),
      "AuthorizationPolicy",
      "RequestAuthentication",
      "Telemetry",
      "Extension",
      "ExtensionProvider",
    ),
    dependencies,
    generate,
    conflicts: conflictsOf,
  };
}

/** Services that want the same port, and policies that the proxy cannot follow. */
function conflictsOf(inputs: InboundPart, push: PushContext): readonly Conflict[] {
  const { stats } = inputs.client.capabilities;
  const policies = trafficPoliciesOf(inputs.policies, push);
  const scope = sidecarScopeFor(inputs.ref, push);
  const unserved = unservedPolicies({ policies, mode: "server", stats, scope, mesh: push.mesh });
  return [...portsOf(inputs, push).conflicts, ...unserved];
}

function inboundPart(proxy: Proxy, push: PushContext): InboundPart {
  const { ipAddresses: addresses, namespace, labels } = proxy;
  const workload = { addresses, namespace, labels };
  const ref = scopeRefOf(proxy, push);
  const client = inboundClientOf(proxy, push.mesh);
  // Not from the scope, which changes with every service and virtual service.
  const ingress = push.sidecars.get(ref.sidecar)?.ingress ?? [];
  const binds = ingress.some(({ captureMode }) => isBound(captureMode, client));
  const outbound = binds ? outboundClientOf(proxy, ref, push) : undefined;
  const policies = policyRefsFor(policyWorkloadOf(proxy, push), push);
  return { workload, ref, client, outbound, policies };
}

/** If both sides could bind the same address, every service in the sidecar's scope counts as well. */
function dependencies({ workload, ref, outbound }: InboundPart, push: PushContext): Dependencies {
  const inbound = workloadDependencies(workload, ref, push);
  if (outbound === undefined) return inbound;
  const imported = sidecarDependencies(ref, push);
  return (changed) => inbound(changed) || imported(changed);
}

function portsOf({ workload, ref, client, outbound }: InboundPart, push: PushContext): InboundPorts {
  const scope = sidecarScopeFor(ref, push);
  const ports = inboundPortsOf({ workload, ref, scope, client, push });
  return outbound === undefined ? ports : withoutTaken(ports, takenNames({ scope, client: outbound, push }));
}
