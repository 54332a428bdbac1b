import type { TraceTag } from "../../model/proxy/proxy-settings.ts";
import type { TracingIdentity } from "./tracing-identity.ts";

const rbacFilter = "envoy.filters.http.rbac";

/** Tags about the workload and about policies in dry-run mode. */
export function istioTags(identity: TracingIdentity) {
  return [
    dryRunTag("allow_policy.name", "istio_dry_run_allow_shadow_effective_policy_id"),
    dryRunTag("allow_policy.result", "istio_dry_run_allow_shadow_engine_result"),
    dryRunTag("deny_policy.name", "istio_dry_run_deny_shadow_effective_policy_id"),
    dryRunTag("deny_policy.result", "istio_dry_run_deny_shadow_engine_result"),
    literalTag("istio.canonical_revision", identity.canonicalRevision),
    literalTag("istio.canonical_service", identity.canonicalService),
    literalTag("istio.cluster_id", identity.clusterId),
    literalTag("istio.mesh_id", identity.meshId),
    literalTag("istio.namespace", identity.namespace),
  ];
}

/** A tag that users ask for. */
export function customTag(tag: TraceTag) {
  const { name } = tag;
  switch (tag.type) {
    case "literal":
      return literalTag(name, tag.value);
    case "header": {
      const value = { name: tag.header, defaultValue: tag.otherwise };
      return { tag: name, type: { case: "requestHeader", value } as const };
    }
    case "environment": {
      const value = { name: tag.variable, defaultValue: tag.otherwise };
      return { tag: name, type: { case: "environment", value } as const };
    }
    case "format":
    default:
      return { tag: name, type: { case: "value", value: tag.format } as const };
  }
}

function dryRunTag(name: string, key: string) {
  const metadataKey = { key: rbacFilter, path: [{ segment: { case: "key", value: key } as const }] };
  const kind = { kind: { case: "request", value: {} } as const };
  return {
    tag: `istio.authorization.dry_run.${name}`,
    type: { case: "metadata", value: { kind, metadataKey } } as const,
  };
}

function literalTag(tag: string, value: string) {
  return { tag, type: { case: "literal", value: { value } } as const };
}
