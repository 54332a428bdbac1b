import { CorsPolicySchema, CorsSchema } from "#gen/envoy/extensions/filters/http/cors/v3/cors_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { CorsPolicy, StringMatch } from "../../model/traffic/virtual-service.ts";
import { fractionalPercentOf } from "../fractional-percent.ts";
import { patternOf } from "../route/pattern.ts";
import type { Filter } from "./filter.ts";

/** Answers CORS preflights as routes configure; has no effect by itself. */
export const cors: Filter = {
  name: "envoy.filters.http.cors",
  appliesTo: () => true,
  config: (writer) => writer.any(CorsSchema, {}),
};

const always = { defaultValue: fractionalPercentOf({ numerator: 100, denominator: 100 }) };

/** The filter's per-route configuration as an encoded Any. All routes and listeners with this policy share it. */
export function corsConfig(policy: CorsPolicy, writer: ProtoWriter): Uint8Array {
  return encodeCors([policy, writer]);
}

/** One encoding for sidecars and gateways. */
const encodeCors = memoize(([policy, writer]: readonly [CorsPolicy, ProtoWriter]) =>
  writer.any(CorsPolicySchema, {
    allowOriginStringMatch: policy.origins.map((origin) => ({ matchPattern: originPattern(origin) })),
    allowMethods: policy.methods.join(),
    allowHeaders: policy.headers.join(),
    exposeHeaders: policy.exposedHeaders.join(),
    maxAge: policy.maxAgeSeconds?.toString(),
    allowCredentials: policy.credentials,
    filterEnabled: always,
    forwardNotMatchingPreflights: policy.forwardsUnmatched,
  }),
);

function originPattern(origin: StringMatch) {
  if (origin.type === "present") return { case: "safeRegex", value: { regex: ".*" } } as const;
  return patternOf(origin);
}
