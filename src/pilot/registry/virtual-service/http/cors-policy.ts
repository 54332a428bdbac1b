import {
  CorsPolicy_UnmatchedPreflights,
  type CorsPolicy as IstioCorsPolicy,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { CorsPolicy, StringMatch } from "../../../model/traffic/virtual-service.ts";
import { stringMatchOf } from "./string-match.ts";

export function corsPolicyOf(policy: IstioCorsPolicy): CorsPolicy {
  return {
    origins: originsOf(policy),
    methods: policy.allowMethods,
    headers: policy.allowHeaders,
    exposedHeaders: policy.exposeHeaders,
    maxAgeSeconds: policy.maxAge?.seconds,
    credentials: policy.allowCredentials,
    forwardsUnmatched: policy.unmatchedPreflights !== CorsPolicy_UnmatchedPreflights.IGNORE,
  };
}

/** The older list of strings applies where there is no list of matches. */
function originsOf({ allowOrigins, allowOrigin }: IstioCorsPolicy): readonly StringMatch[] {
  if (allowOrigins.length > 0) return allowOrigins.map(stringMatchOf);
  return allowOrigin.map((value) => ({ type: "exact", value }));
}
