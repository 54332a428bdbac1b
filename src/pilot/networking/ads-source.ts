import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";

/** "Ask on this same stream, and wait for the answer however long it takes." */
export const adsSource = {
  configSourceSpecifier: { case: "ads", value: {} },
  initialFetchTimeout: { seconds: 0n, nanos: 0 },
  resourceApiVersion: ApiVersion.V3,
} as const;
