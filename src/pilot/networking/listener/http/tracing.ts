import { HttpConnectionManager_TracingSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { UuidRequestIdConfigSchema } from "#gen/envoy/extensions/request_id/uuid/v3/uuid_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { isTracingProvider, type TracingProvider } from "../../../model/policy/telemetry-provider.ts";
import type { TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import type { TraceTag, TracingSettings } from "../../../model/proxy/proxy-settings.ts";
import { effectiveTracing, type TracingChoice } from "../../../model/telemetry/effective-tracing.ts";
import type { Direction } from "../../filters/filter.ts";
import { namedProvider } from "../../../model/policy/named-provider.ts";
import { customTag, istioTags } from "../../telemetry/trace-tags.ts";
import { tracerOf } from "../../telemetry/tracers.ts";
import type { TracerFacts, TracingIdentity } from "../../telemetry/tracing-identity.ts";
import { modeOf } from "../../telemetry/workload-mode.ts";

/** All inputs of tracing. */
export interface TracingContext {
  readonly direction: Direction;
  readonly identity: TracingIdentity | undefined;
  readonly settings: TracingSettings;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** The parts of a connection manager that decide about traces; encoded. */
interface EncodedTracing {
  readonly tracing: Uint8Array | undefined;
  readonly requestIdExtension: Uint8Array;
}

/** Traces a share of requests, as Telemetry says; where it says nothing, as the MeshConfig does. */
export function tracingOf(context: TracingContext, writer: ProtoWriter): EncodedTracing {
  const { mesh, policies, ...facts } = context;
  return encodeTracing([mesh, policies, writer], facts);
}

/** One encoding for all connection managers of a workload. */
const encodeTracing = memoize(
  (
    [mesh, policies, writer]: readonly [MeshSettings, TrafficPolicies, ProtoWriter],
    facts: Omit<TracingContext, "mesh" | "policies">,
  ): EncodedTracing => {
    const choice = effectiveTracing(policies.telemetry, mesh.defaultProviders.traces, modeOf(facts.direction));
    if (choice === undefined) {
      const tracing = mesh.tracing ? withoutProvider(facts, writer) : undefined;
      return { tracing, requestIdExtension: requestIds(true, writer) };
    }
    const provider = namedProvider(choice.provider, policies.providers);
    const traces = !choice.disabled && provider !== undefined && isTracingProvider(provider);
    const tracing = traces ? withProvider(choice, provider, facts, writer) : undefined;
    const samplesByRequestId = tracing === undefined || choice.samplesByRequestId;
    return { tracing, requestIdExtension: requestIds(samplesByRequestId, writer) };
  },
);

function requestIds(useRequestIdForTraceSampling: boolean, writer: ProtoWriter): Uint8Array {
  return writer.any(UuidRequestIdConfigSchema, { useRequestIdForTraceSampling });
}

type Facts = Pick<TracingContext, "direction" | "identity" | "settings">;

/** The bootstrap of the proxy says where its spans go. */
function withoutProvider({ identity, settings }: Facts, writer: ProtoWriter): Uint8Array | undefined {
  if (identity === undefined) return undefined;
  const { sampling, maxPathTagLength, tags } = settings;
  return writer.encode(HttpConnectionManager_TracingSchema, {
    ...samplings(sampling),
    maxPathTagLength: maxPathTagLength || undefined,
    customTags: sortedTags(tags, settings.istioTags ? identity : undefined),
  });
}

/** Undefined if the service of the provider is unknown. */
function withProvider(
  choice: TracingChoice,
  provider: TracingProvider,
  { direction, identity, settings }: Facts,
  writer: ProtoWriter,
): Uint8Array | undefined {
  const facts = identity?.tracer;
  const tracer = facts && tracerOf(provider, facts, writer);
  if (tracer === undefined || identity === undefined || facts === undefined) return undefined;
  const { name, config } = tracer;
  const spawnsSpans = direction === "gateway" || provider.type === "skywalking";
  const maxTagLength = provider.type === "skywalking" ? 0 : provider.maxTagLength;
  const tags = choice.tags === undefined ? settings.tags : knownTags(choice.tags, facts);
  return writer.encode(HttpConnectionManager_TracingSchema, {
    ...samplings(tracer.samples ? 100 : (choice.sampling ?? settings.sampling)),
    maxPathTagLength: maxTagLength || settings.maxPathTagLength || undefined,
    customTags: sortedTags(tags, choice.istioTags ? identity : undefined),
    provider: { name, configType: { case: "typedConfig", value: config } },
    spawnUpstreamSpan: spawnsSpans ? true : undefined,
    noContextPropagation: choice.hidesContext && facts.since130,
  });
}

/** Envoy's other two shares: of requests that clients force to be traced, and of all requests. */
function samplings(sampling: number) {
  return { clientSampling: { value: 100 }, randomSampling: { value: sampling }, overallSampling: { value: 100 } };
}

function knownTags(tags: readonly TraceTag[], { since129 }: TracerFacts): readonly TraceTag[] {
  return since129 ? tags : tags.filter(({ type }) => type !== "format");
}

/** With the tags about the workload, if it is given. */
function sortedTags(tags: readonly TraceTag[], identity: TracingIdentity | undefined) {
  const all = [...tags.map(customTag), ...(identity === undefined ? [] : istioTags(identity))];
  return all.toSorted((a, b) => compareTexts(a.tag, b.tag));
}
