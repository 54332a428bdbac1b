import type { ConfigId, Labels } from "../../config/config.ts";
import { mtlsModeOf, mtlsPolicyFor } from "../../pilot/model/mtls/mtls-policy.ts";
import type { MtlsMode } from "../../pilot/model/mtls/peer-authentication.ts";
import { attachedPolicies } from "../../pilot/model/policy/attached-policies.ts";
import type { AuthorizationPolicy } from "../../pilot/model/policy/authorization-policy.ts";
import { targetOf } from "../../pilot/model/policy/policy-workload.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import { type Endpoint, isHttp, type Protocol, type Service, serviceKey } from "../../pilot/model/service/service.ts";
import type { KnownCall } from "./rule-match.ts";

/** The side of a service that a call arrives at: endpoints with equal rules. */
export interface ServedWorkload {
  readonly policies: readonly AuthorizationPolicy[];
  /** Connections that it accepts at the port, and the PeerAuthentications behind that. */
  readonly mtls: MtlsMode;
  readonly mtlsOwners: readonly ConfigId[];
  /** Whether it announces that it speaks mutual TLS. */
  readonly speaksMtls: boolean;
  /** The port of the service, and the one of the workload. */
  readonly servicePort: number;
  readonly port: number;
  /** The protocols of the port; both if the proxy detects the protocol. */
  readonly carries: KnownCall["carries"];
}

/** The facts of an endpoint that its rules depend on. */
type Facts = Pick<Endpoint, "namespace" | "labels" | "tlsMode" | "port" | "servicePortName">;

/**
 * One entry for all endpoints with equal facts. A service without endpoints gets the rules of its namespace. A service
 * outside of the mesh has none: no proxy of this mesh stands before it.
 */
export function servedWorkloads(service: Service, push: PushContext): readonly ServedWorkload[] {
  if (service.meshExternal) return [];
  const endpoints = push.endpoints.get(serviceKey(service))?.endpoints ?? [];
  const facts = endpoints.length > 0 ? endpoints : service.ports.map((port) => absentEndpoint(service, port));
  const different = new Map<string, Facts>();
  for (const each of facts) different.set(factsKey(each), each);
  // An endpoint in a ServiceEntry names no namespace.
  const within = (each: Facts) => ({ ...each, namespace: each.namespace || service.namespace });
  return Array.from(different.values(), (each) => workloadOf(within(each), service, push));
}

function absentEndpoint({ namespace }: Service, { targetPort, name }: Service["ports"][number]): Facts {
  return { namespace, labels: {}, tlsMode: "istio", port: targetPort, servicePortName: name };
}

function factsKey({ namespace, labels, tlsMode, port, servicePortName }: Facts): string {
  return JSON.stringify([namespace, sorted(labels), tlsMode, port, servicePortName]);
}

function sorted(labels: Labels): readonly (readonly [string, string])[] {
  return Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function workloadOf(
  { namespace, labels, tlsMode, port, servicePortName }: Facts,
  service: Service,
  push: PushContext,
): ServedWorkload {
  const { rootNamespace } = push.mesh;
  const byNamespace = push.authorizationPoliciesByNamespace;
  const lists = [byNamespace.get(rootNamespace), namespace === rootNamespace ? [] : byNamespace.get(namespace)];
  const mtls = mtlsPolicyFor({ namespace, labels }, push);
  const served = service.ports.find(({ name }) => name === servicePortName);
  return {
    policies: attachedPolicies(lists, { namespace, labels, router: false, services: [targetOf(service)] }),
    mtls: mtlsModeOf(mtls, port),
    mtlsOwners: mtls.owners,
    speaksMtls: tlsMode === "istio",
    servicePort: served?.number ?? 0,
    port,
    carries: carriedBy(served?.protocol ?? "auto"),
  };
}

function carriedBy(protocol: Protocol): KnownCall["carries"] {
  if (protocol === "auto") return ["http", "tcp"];
  return isHttp(protocol) ? ["http"] : ["tcp"];
}
