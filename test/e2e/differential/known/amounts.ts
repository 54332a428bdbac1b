import { beside, duration, type KnownDifference, mapping, outside, type Values, text } from "./known-difference.ts";

const notWholeMilliseconds = duration("below 1ms, or not in whole milliseconds", (seconds) => {
  const ms = seconds * 1000;
  return ms < 1 || Math.abs(ms - Math.round(ms)) > 1e-9;
});
const unlimited: Values = {
  said: "NaN and infinity",
  hold: (value) => ["NaN", "Infinity", "-Infinity"].includes(String(value)),
};
const nothing: Values = { said: "null", hold: (value) => value === null };
const enumNumber: Values = { said: "a number that has no name", hold: (value) => typeof value === "number" };

/** Numbers and durations that Binnacle refuses and istioctl accepts. */
export const amountDifferences: readonly KnownDifference[] = [
  {
    type: "ours",
    kinds: "all",
    code: "bad-duration",
    fields: ["**"],
    values: duration("over 9223372035s", (seconds) => seconds > 9_223_372_035),
    reason: "Envoy counts nanoseconds in 64 bits, and rejects a longer duration.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule", "Sidecar"],
    code: "bad-duration",
    fields: ["**.tcpKeepalive.time", "**.tcpKeepalive.interval"],
    values: duration("4294967296s and more", (seconds) => seconds >= 2 ** 32),
    reason: "Envoy has 32 bits for these seconds.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule", "Sidecar", "Telemetry"],
    code: "bad-duration",
    fields: [
      "**.tcp.idleTimeout",
      "**.loadBalancer.warmupDurationSecs",
      "**.retryBudget.budgetInterval",
      "metrics[].reportingInterval",
    ],
    values: notWholeMilliseconds,
    reason: "The official command checks other durations in this way, but not these. Envoy rejects or misreads them.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "bad-duration",
    fields: ["**.httpCookie.ttl"],
    values: duration("below 0s", (seconds) => seconds < 0),
    reason: "Envoy rejects the whole route configuration for a negative duration.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule", "VirtualService"],
    code: "bad-percentage",
    fields: ["**.retryBudget.percent", "**.warmup.minimumPercent", "http[].fault.delay.percent"],
    values: outside(0, 100),
    reason:
      "The official command does not check this percentage, and Envoy rejects the cluster or the route configuration.",
  },
  {
    type: "ours",
    kinds: "all",
    code: "wrong-type",
    fields: ["**"],
    values: unlimited,
    reason: "Envoy rejects a number that is none.",
  },
  {
    type: "ours",
    kinds: "all",
    code: "wrong-type",
    fields: ["**"],
    values: nothing,
    reason:
      "A list or a mapping has no missing element. The official command reads it as an empty one, which as a rule matches everything.",
  },
  {
    type: "ours",
    kinds: "all",
    code: "unknown-value",
    fields: [
      "phase",
      "type",
      "failStrategy",
      "**.imagePullPolicy",
      "**.mode",
      "action",
      "resolution",
      "location",
      "**.operation",
    ],
    values: enumNumber,
    reason: "A number outside of an enumeration has no meaning. It would be ignored, or read as the default.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "negative-value",
    fields: ["**.outlierDetection.consecutiveErrors"],
    values: { said: "below 0", hold: (value) => Number(value) < 0 },
    reason: "The official command no longer checks this old counter. It cannot be negative.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "bad-port",
    fields: ["**.portLevelSettings[].port.number"],
    values: outside(1, 65_535),
    reason: "No service has this port, so that the settings would never apply.",
  },
  {
    type: "ours",
    kinds: ["WorkloadGroup"],
    code: "bad-port",
    fields: ["template.ports.*"],
    values: outside(1, 65_535),
    reason: "The official command checks ports of a WorkloadEntry, but not those of a group, which become entries.",
  },
  {
    type: "ours",
    kinds: ["WorkloadGroup"],
    code: "bad-port",
    fields: ["template.ports"],
    values: beside("ports beside a unix socket", ({ address }) => String(address).startsWith("unix:")),
    reason: "The official command checks ports of a WorkloadEntry, but not those of a group, which become entries.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "bad-status",
    fields: ["**.outlierDetectionHttpErrorCodes[]"],
    values: outside(100, 599),
    reason: "No response has this status.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "bad-status",
    fields: ["http[].directResponse.status"],
    values: { said: "600", hold: (value) => value === 600 },
    reason: "Envoy rejects the whole route configuration for a status above 599.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "out-of-range",
    fields: ["**.maglev.tableSize"],
    values: outside(2, 5_000_010),
    reason: "Envoy rejects the cluster.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "out-of-range",
    fields: ["**.minimumRingSize"],
    values: outside(0, 8_388_608),
    reason: "Envoy rejects the cluster.",
  },
  {
    type: "ours",
    kinds: ["DestinationRule"],
    code: "too-many-values",
    fields: ["**.failoverPriority"],
    values: { said: "more than 12 labels", hold: (value) => Array.isArray(value) && value.length > 12 },
    reason: "Envoy has 129 priorities, and needs up to ten for each label.",
  },
  {
    type: "ours",
    kinds: ["VirtualService"],
    code: "too-many-values",
    fields: ["http[].headers.*", "http[].route[].headers.*"],
    values: mapping(
      "more than 500 headers",
      ({ set, add }) => Object.keys({ ...asMapping(set), ...asMapping(add) }).length >= 500,
    ),
    reason: "Envoy adds at most 1000 headers per route, those of the rule and of its destination together.",
  },
  {
    type: "ours",
    kinds: ["WasmPlugin", "TrafficExtension"],
    code: "too-long",
    fields: ["vmConfig.env[].value", "wasm.vmConfig.env[].value"],
    values: text("more than 2048 characters", /^.{2049}/su),
    reason: "The schema of the API server has this limit.",
  },
];

function asMapping(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
