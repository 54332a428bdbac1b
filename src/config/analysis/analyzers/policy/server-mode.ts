import type { Policy, TargetSelector } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import { MutualTls_Mode } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import type { ServicePort, ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { Config } from "../../../config.ts";
import { meshPolicy, policy } from "../../../kinds/legacy/authentication-policy.ts";
import type { AnalysisInput } from "../../analyzer.ts";

/** The mTLS mode that a service port accepts, and the policy that sets it. */
export interface ServerMode {
  readonly mode: "strict" | "permissive" | "plaintext";
  readonly by: Config<Policy> | undefined;
}

/** A policy for the port wins over one for the service, then the namespace, then the mesh. */
export function serverModeOf(service: Config<ServiceSpec>, port: ServicePort, input: AnalysisInput): ServerMode {
  const local = input.all(policy).filter(({ namespace }) => namespace === service.namespace);
  const targets = (target: TargetSelector) => target.name === service.name;
  const by =
    local.find(({ spec }) => spec.targets.some((target) => targets(target) && hasPort(target, port))) ??
    local.find(({ spec }) => spec.targets.some((target) => targets(target) && target.ports.length === 0)) ??
    local.find(({ spec }) => spec.targets.length === 0) ??
    input.all(meshPolicy)[0];
  return { mode: by === undefined ? "plaintext" : modeOf(by.spec), by };
}

export function hasPort({ ports }: TargetSelector, { name, port }: ServicePort): boolean {
  return ports.some(({ port: wanted }) => wanted.value === name || wanted.value === port);
}

function modeOf({ peers, peerIsOptional }: Policy): ServerMode["mode"] {
  const [mutual] = peers.flatMap(({ params }) => (params.case === "mtls" ? [params.value] : []));
  if (mutual === undefined) return "plaintext";
  return peerIsOptional || mutual.mode === MutualTls_Mode.PERMISSIVE ? "permissive" : "strict";
}
