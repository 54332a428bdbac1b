import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { zeroDuration } from "../model/duration.ts";

/** "Ask on this same stream, and wait for the answer however long it takes." */
export const adsSource = {
  configSourceSpecifier: { case: "ads", value: {} },
  initialFetchTimeout: zeroDuration,
  resourceApiVersion: ApiVersion.V3,
} as const;
