import { oncePer } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { NameSet } from "../../../../xds/resources/name-set.ts";
import { type MtlsPolicy, mtlsModeOf, mtlsPolicyFor } from "../../../model/mtls/mtls-policy.ts";
import { policyWorkloadOf, servicesAt } from "../../../model/policy/policy-workload.ts";
import { portPolicies } from "../../../model/policy/port-policies.ts";
import {
  noPolicyRefs,
  ownersOf,
  type PolicyRefs,
  policyRefsFor,
  type TrafficPolicies,
  trafficPoliciesOf,
} from "../../../model/policy/traffic-policies.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import { isProxyless } from "../../../model/proxy/proxy.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Resource } from "../../../model/resource.ts";
import type { ScopeRef } from "../../../model/scope/sidecar-scope.ts";
import { scopeRefOf } from "../../../model/scope/sidecar-scope-for.ts";
import { tlsModeLabel } from "../../../model/service/service.ts";
import { targetsOf, type Workload } from "../../../model/service/service-target.ts";
import { hostAndPort } from "../../../networking/address.ts";
import { buildServerListener } from "../../../networking/grpc/build-server-listener.ts";
import { only, type PartFamily, type PartInputs } from "../../generator.ts";
import { workloadDependencies } from "../dependencies.ts";

/** Inputs that the servers of one workload share. */
interface ServerPart extends PartInputs {
  readonly ref: ScopeRef;
  readonly workload: Workload;
  readonly names: NameSet;
  readonly policies: PolicyRefs;
}

/** The listener name prefix that the bootstrap template puts before the server's address. */
const prefix = "xds.istio.io/grpc/lds/inbound/";

/** Whether the name is a server listener and not a client's target. */
export function isServerListenerName(name: string): boolean {
  return name.startsWith(prefix);
}

/** LDS for proxyless servers: a listener for each requested address at which their workload serves something. */
export function grpcServerListeners(writer: ProtoWriter): PartFamily<ServerPart> {
  return {
    name: "grpc-server",
    parts: serverParts,
    concerns: only("Instance", "Service", "PeerAuthentication", "AuthorizationPolicy"),
    dependencies: ({ workload, ref }, push) => workloadDependencies(workload, ref, push),
    generate: ({ inputs: { workload, names, policies: refs }, push }) => {
      const policies = trafficPoliciesOf(refs, push);
      const resources = [...names].flatMap((name) => listenerOf(name, { workload, policies, push }, writer) ?? []);
      return { covers: names, resources };
    },
  };
}

function serverParts(proxy: Proxy, push: PushContext, asked: NameSet | "all"): readonly ServerPart[] {
  if (!isProxyless(proxy)) return [];
  const { namespace, labels, ipAddresses: addresses } = proxy;
  const workload = { addresses, namespace, labels };
  const names = asked === "all" ? possibleNames(workload, push) : serverNames(asked);
  if (names.size === 0) return [];
  const ref = scopeRefOf(proxy, push);
  const { authorization } = policyRefsFor(policyWorkloadOf(proxy, push), push);
  return [{ ref, workload, names, policies: { ...noPolicyRefs, authorization } }];
}

/** Real servers ask for names. Offline, the server is assumed to listen wherever its workload has a service. */
function possibleNames(workload: Workload, push: PushContext): NameSet {
  const ports = targetsOf(workload, push).map(({ targetPort }) => targetPort);
  return new Set(
    workload.addresses.flatMap((address) => ports.map((port) => `${prefix}${hostAndPort(address, port)}`)),
  );
}

/** Equal sets give one object: parts count their holders by it. */
const serverNames = oncePer((names: NameSet): NameSet => new Set([...names].filter(isServerListenerName)));

interface ServerContext {
  readonly workload: Workload;
  readonly policies: TrafficPolicies;
  readonly push: PushContext;
}

/** Undefined where the workload has no service: then its server refuses calls, and reports this. */
function listenerOf(
  name: string,
  { workload, policies, push }: ServerContext,
  writer: ProtoWriter,
): Resource | undefined {
  const [, address, digits] = /^\[?(.+?)\]?:(\d+)$/u.exec(name.slice(prefix.length)) ?? [];
  if (address === undefined || digits === undefined) return undefined;
  const port = Number(digits);
  const targets = targetsOf(workload, push).filter(({ targetPort }) => targetPort === port);
  if (targets.length === 0) return undefined;
  const policy = mtlsPolicyFor(workload, push);
  const own = portPolicies(policies, servicesAt(port, workload, push));
  const owners = [...targets.map(({ service }) => service.owner), ...policy.owners, ...ownersOf(own)];
  const mutual = isMutual(policy, port, workload);
  return buildServerListener({ name, address, port, mutual, policies: own, mesh: push.mesh, owners }, writer);
}

/** A server accepts plain text or mTLS, not both. In permissive mode the label of its workload decides. */
function isMutual(policy: MtlsPolicy, port: number, { labels }: Workload): boolean {
  const mode = mtlsModeOf(policy, port);
  return mode === "permissive" ? labels[tlsModeLabel] === "istio" : mode === "strict";
}
