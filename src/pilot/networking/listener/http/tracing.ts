import { HttpConnectionManager_TracingSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { TraceTag, TracingSettings } from "../../../model/proxy/proxy-settings.ts";

/** The facts of a proxy that its spans contain. */
export interface TracingIdentity {
  readonly canonicalRevision: string;
  readonly canonicalService: string;
  readonly clusterId: string;
  readonly meshId: string;
  readonly namespace: string;
}

export function tracingIdentityOf({ labels, namespace, clusterId, meshId }: Proxy): TracingIdentity {
  return {
    canonicalRevision: labels["service.istio.io/canonical-revision"] || "latest",
    canonicalService: labels["service.istio.io/canonical-name"] || "unknown",
    clusterId: clusterId || "unknown",
    meshId: meshId || "unknown",
    namespace: namespace || "default",
  };
}

const rbacFilter = "envoy.filters.http.rbac";

/**
 * Traces a share of requests; encoded. Tags name the proxy and policies in dry-run mode, beside the tags of the proxy
 * settings.
 */
export function tracingOf(
  identity: TracingIdentity,
  { sampling, maxPathTagLength, tags }: TracingSettings,
  writer: ProtoWriter,
): Uint8Array {
  return encodeTracing([writer], { identity, sampling, maxPathTagLength, tags });
}

/** One encoding for all connection managers of a workload. */
const encodeTracing = memoize(
  (
    [writer]: readonly [ProtoWriter],
    { identity, sampling, maxPathTagLength, tags }: TracingSettings & { readonly identity: TracingIdentity },
  ): Uint8Array =>
    writer.encode(HttpConnectionManager_TracingSchema, {
      clientSampling: { value: 100 },
      randomSampling: { value: sampling },
      overallSampling: { value: 100 },
      maxPathTagLength: maxPathTagLength === 0 ? undefined : maxPathTagLength,
      customTags: [
        ...tags.map(customTag),
        dryRunTag("allow_policy.name", "istio_dry_run_allow_shadow_effective_policy_id"),
        dryRunTag("allow_policy.result", "istio_dry_run_allow_shadow_engine_result"),
        dryRunTag("deny_policy.name", "istio_dry_run_deny_shadow_effective_policy_id"),
        dryRunTag("deny_policy.result", "istio_dry_run_deny_shadow_engine_result"),
        literalTag("istio.canonical_revision", identity.canonicalRevision),
        literalTag("istio.canonical_service", identity.canonicalService),
        literalTag("istio.cluster_id", identity.clusterId),
        literalTag("istio.mesh_id", identity.meshId),
        literalTag("istio.namespace", identity.namespace),
      ].toSorted((a, b) => compareTexts(a.tag, b.tag)),
    }),
);

function customTag(tag: TraceTag) {
  if (tag.type === "literal") return literalTag(tag.name, tag.value);
  const { otherwise: defaultValue } = tag;
  return tag.type === "header"
    ? { tag: tag.name, type: { case: "requestHeader", value: { name: tag.header, defaultValue } } as const }
    : { tag: tag.name, type: { case: "environment", value: { name: tag.variable, defaultValue } } as const };
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
