import { MutualTls_Mode, type Policy } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import {
  PeerAuthentication_MutualTLS_Mode as Mode,
  type PeerAuthentication,
} from "#gen/istio/security/v1beta1/peer_authentication_pb.js";
import type { Config } from "../../../../config/config.ts";
import { peerAuthentication } from "../../../../config/kinds/peer-authentication.ts";
import { convertedConfig, type LegacyObject } from "./converted-config.ts";
import type { TargetService } from "./target-services.ts";

/**
 * The PeerAuthentications of a legacy policy. A policy without mutual TLS accepts plaintext, and so does PERMISSIVE. It
 * never weakens a PeerAuthentication that a user wrote: `hasOwn` tells that there is one, and then only STRICT counts.
 */
export function mtlsOf(
  policy: LegacyObject<Policy>,
  targets: readonly TargetService[],
  hasOwn: boolean,
): readonly Config<PeerAuthentication>[] {
  const mode = modeOf(policy.config.spec);
  if (mode !== Mode.STRICT && hasOwn) return [];
  if (policy.config.spec.targets.length === 0) {
    return [convertedConfig(peerAuthentication, policy, { mtls: { mode } }, { first: mode === Mode.STRICT })];
  }
  return targets.flatMap((target) => (mode === Mode.STRICT ? strict(policy, target) : lenient(policy, target)));
}

function modeOf({ peers }: Policy): Mode {
  // A method written as `- mtls:` has no value.
  const method = peers.find(({ params }) => params.case !== "jwt")?.params;
  if (method === undefined) return Mode.PERMISSIVE;
  if (method.case !== "mtls") return Mode.STRICT;
  return method.value.mode === MutualTls_Mode.PERMISSIVE ? Mode.PERMISSIVE : Mode.STRICT;
}

/**
 * Strict for all ports of the workloads: only one PeerAuthentication counts for a workload, so that of one port could
 * hide that of another. If labels do not tell the workloads, strict for the namespace.
 */
function strict(
  policy: LegacyObject<Policy>,
  { name, selector }: TargetService,
): readonly Config<PeerAuthentication>[] {
  const workloads = selector === undefined ? {} : { selector: { matchLabels: { ...selector } } };
  const spec = { ...workloads, mtls: { mode: Mode.STRICT } };
  return [convertedConfig(peerAuthentication, policy, spec, { suffix: name, first: true })];
}

/** Lenient at the ports of the target alone. Other ports of the workloads stay as they are. */
function lenient(policy: LegacyObject<Policy>, target: TargetService): readonly Config<PeerAuthentication>[] {
  const { name, selector, workloadPorts: ports } = target;
  if (selector === undefined || ports === undefined || ports.length === 0) return [];
  const portLevelMtls = Object.fromEntries(ports.map((port) => [port, { mode: Mode.PERMISSIVE }]));
  const spec = { selector: { matchLabels: { ...selector } }, portLevelMtls };
  return [convertedConfig(peerAuthentication, policy, spec, { suffix: name })];
}
