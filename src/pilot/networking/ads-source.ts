import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { zeroDuration } from "../model/duration.ts";

/** Requests resources on the same ADS stream, and waits for them without a limit. */
export const adsSource = {
  configSourceSpecifier: { case: "ads", value: {} },
  initialFetchTimeout: zeroDuration,
  resourceApiVersion: ApiVersion.V3,
} as const;
