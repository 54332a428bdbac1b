import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import type { GrpcService } from "#gen/envoy/config/core/v3/grpc_service_pb.js";
import {
  ExtAuthzPerRouteSchema,
  ExtAuthzSchema as HttpExtAuthzSchema,
} from "#gen/envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb.js";
import { ExtAuthzSchema as NetworkExtAuthzSchema } from "#gen/envoy/extensions/filters/network/ext_authz/v3/ext_authz_pb.js";
import type { MetadataMatcher } from "#gen/envoy/type/matcher/v3/metadata_pb.js";
import { type Decider, refused } from "../explanation.ts";
import { type GuardedPlace, type GuardResult, passes, rejects } from "./guard.ts";
import type { JudgedRequest } from "./judged-request.ts";
import { metadataJudgement } from "./metadata-matcher.ts";
import { policyRuleOf } from "./policy-id.ts";

export function httpExtAuthzGuard(config: Any, judged: JudgedRequest, place: GuardedPlace): GuardResult | undefined {
  const authz = anyUnpack(config, HttpExtAuthzSchema);
  if (authz === undefined) return undefined;
  const { override } = (place.override && anyUnpack(place.override, ExtAuthzPerRouteSchema)) ?? {};
  if (override?.case === "disabled" && override.value) return passes("it is switched off here");
  const { services, filterEnabledMetadata, failureModeAllow, statusOnError } = authz;
  const cluster =
    services.case === "httpService" ? services.value.serverUri?.httpUpstreamType.value : clusterOf(services.value);
  const onError = failureModeAllow ? "requests pass" : `they are rejected with ${statusOnError?.code || 403}`;
  return ask({ cluster, matcher: filterEnabledMetadata, onError }, judged, place);
}

export function networkExtAuthzGuard(config: Any, judged: JudgedRequest, place: GuardedPlace): GuardResult | undefined {
  const authz = anyUnpack(config, NetworkExtAuthzSchema);
  if (authz === undefined) return undefined;
  const { grpcService, filterEnabledMetadata, failureModeAllow } = authz;
  const onError = failureModeAllow ? "connections pass" : "they are closed";
  return ask({ cluster: clusterOf(grpcService), matcher: filterEnabledMetadata, onError }, judged, place);
}

interface Asked {
  readonly cluster: string | undefined;
  readonly matcher: MetadataMatcher | undefined;
  readonly onError: string;
}

/** The rules of CUSTOM policies ran before, and left a mark. Without the mark the provider is not asked. */
function ask(
  { cluster = "an unknown cluster", matcher, onError }: Asked,
  judged: JudgedRequest,
  place: GuardedPlace,
): GuardResult {
  if (matcher !== undefined && metadataJudgement(matcher, judged).holds !== true) {
    return passes("it is not asked: no rule of a CUSTOM policy matches");
  }
  const deciders = matcher === undefined ? [] : rulesBehind(matcher, judged);
  const notes = [`if it does not answer, ${onError}`];
  switch (place.extAuthz) {
    case "allow":
      return passes(`the authorizer ${cluster} is asked, and allows it`, { deciders, notes });
    case "deny": {
      const reason = `the authorizer ${cluster} denies it`;
      return rejects(reason, refused(reason, judged.layer === "request" ? { status: 403 } : {}), { deciders, notes });
    }
    case undefined:
    default: {
      const reason = `the authorizer ${cluster} decides`;
      return rejects(reason, { type: "unknown", reason }, { deciders, notes });
    }
  }
}

function rulesBehind({ filter, path }: MetadataMatcher, { metadata }: JudgedRequest): readonly Decider[] {
  const [key] = path.flatMap(({ segment }) => (segment.case === "key" ? [segment.value] : []));
  const id = key === undefined ? undefined : metadata[filter]?.[key];
  const rule = typeof id === "string" ? policyRuleOf(id) : undefined;
  return rule === undefined ? [] : [{ object: rule.object, part: rule.part }];
}

function clusterOf(service: GrpcService | undefined): string | undefined {
  const target = service?.targetSpecifier;
  if (target?.case === "envoyGrpc") return target.value.clusterName;
  return target?.case === "googleGrpc" ? target.value.targetUri : undefined;
}
