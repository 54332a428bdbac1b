import { RbacConfig_Mode as Mode } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import type { AuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { Tracked } from "../../../../collection/collection.ts";
import type { Config } from "../../../../config/config.ts";
import { authorizationPolicy } from "../../../../config/kinds/authorization-policy.ts";
import { dryRun } from "../../../../config/rules/forbidden-annotations.ts";
import { convertedConfig } from "./converted-config.ts";
import type { Enforcement } from "./enforcement.ts";
import type { KnownService } from "./known-services.ts";

/** The objects that the conversion of a ClusterRbacConfig reads. */
export interface SwitchReads {
  readonly root: string;
  readonly inNamespace: Tracked<readonly KnownService[]>;
  readonly atHostname: Tracked<readonly KnownService[]>;
}

interface PolicyInit {
  readonly rules?: Record<string, never>[];
  readonly targetRefs?: { group: string; kind: string; name: string }[];
}

/** An ALLOW policy without rules: requests need a rule of another policy. */
const denyByDefault: PolicyInit = {};
/** Everything is allowed where access control is off. */
const allowAll: PolicyInit = { rules: [{}] };

/**
 * The policies that deny by default where access control is on. Excluded namespaces and services get a policy that allows everything.
 * A policy of the root namespace applies to the mesh, so that namespace itself is named by its services.
 */
export function switchPolicies(enforcement: Enforcement, reads: SwitchReads): readonly Config<AuthorizationPolicy>[] {
  const { mode, namespaces } = enforcement;
  const make = (namespace: string, init: PolicyInit, suffix?: string) =>
    policyOf(enforcement, { namespace, init, suffix });
  const isListing = mode === Mode.ON_WITH_INCLUSION;
  const listed = isListing ? denyByDefault : allowAll;
  return [
    ...(isListing ? [] : [make(reads.root, denyByDefault)]),
    ...namespaces.filter((namespace) => namespace !== reads.root).map((namespace) => make(namespace, listed)),
    ...Array.from(listedServices(enforcement, reads), ([namespace, services]) => {
      const targetRefs = services.map(({ reference }) => ({ ...reference }));
      return make(namespace, { ...listed, targetRefs }, "services");
    }),
  ];
}

interface Made {
  readonly namespace: string;
  readonly init: PolicyInit;
  readonly suffix: string | undefined;
}

function policyOf({ config, isTrial }: Enforcement, { namespace, init, suffix }: Made): Config<AuthorizationPolicy> {
  return convertedConfig(authorizationPolicy, { config, namespace }, init, {
    ...(suffix !== undefined && { suffix }),
    ...(isTrial && { annotations: { [dryRun]: "true" } }),
  });
}

/**
 * The listed services by namespace, beside those of listed namespaces. One of several hosts is enough to be included;
 * all of them must be excluded.
 */
function listedServices(
  { mode, namespaces, hostnames }: Enforcement,
  { root, inNamespace, atHostname }: SwitchReads,
): ReadonlyMap<string, readonly KnownService[]> {
  const isWhole = (service: KnownService) =>
    mode === Mode.ON_WITH_INCLUSION || service.hostnames.every((hostname) => hostnames.includes(hostname));
  const named = hostnames.flatMap((hostname) => atHostname.get(hostname) ?? []).filter(isWhole);
  const ofRoot = namespaces.includes(root) ? (inNamespace.get(root) ?? []) : [];
  const single = named.filter(({ namespace }) => !namespaces.includes(namespace));
  return Map.groupBy(new Set([...ofRoot, ...single]), ({ namespace }) => namespace);
}
