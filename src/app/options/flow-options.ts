import { count, durationMs, onOff, periodMs } from "./option-values.ts";
import type { OptionRows } from "./options.ts";

/** How fast things flow to proxies, and how much of them at a time. */
export interface FlowOptions {
  readonly debounceAfterMs: number;
  readonly debounceMaxMs: number;
  readonly debounceEndpoints: boolean;
  readonly pushThrottle: number;
  readonly ackTimeoutMs: number;
  readonly streamsPerSecond: number;
  readonly maxStreams: number;
  readonly maxStreamsPerPeer: number;
  readonly maxRequestBytes: number;
  readonly maxNodeBytes: number;
  readonly sendTimeoutMs: number;
  readonly keepaliveIntervalMs: number;
  readonly keepaliveTimeoutMs: number;
  readonly maxConnectionAgeMs: number;
  readonly drainMs: number;
}

export const flowOptions: OptionRows<FlowOptions> = {
  debounceAfterMs: {
    name: "debounce-after",
    env: ["BINNACLE_DEBOUNCE_AFTER", "PILOT_DEBOUNCE_AFTER"],
    type: durationMs,
    default: 10,
    defaultText: "10ms",
    doc: "how long configuration must be quiet before it is pushed; endpoints do not wait",
    example: "100ms",
    of: "pilot",
  },
  debounceMaxMs: {
    name: "debounce-max",
    env: ["BINNACLE_DEBOUNCE_MAX", "PILOT_DEBOUNCE_MAX"],
    type: durationMs,
    default: 1000,
    defaultText: "1s",
    doc: "the longest a change waits while others keep coming",
    example: "10s",
    of: "pilot",
  },
  debounceEndpoints: {
    name: "debounce-endpoints",
    env: ["BINNACLE_DEBOUNCE_ENDPOINTS", "PILOT_ENABLE_EDS_DEBOUNCE"],
    type: onOff,
    default: false,
    defaultText: "off",
    doc: "whether changes of endpoints wait, too, until it is quiet",
    example: "on",
    of: "pilot",
  },
  pushThrottle: {
    name: "push-throttle",
    env: ["BINNACLE_PUSH_THROTTLE", "PILOT_PUSH_THROTTLE"],
    type: count,
    default: 0,
    defaultText: "0",
    doc: "to how many proxies bytes may be on their way at a time; 0 is 15 and 5 more for every processor, 100 at most",
    example: "50",
    of: "pilot",
  },
  ackTimeoutMs: {
    name: "ack-timeout",
    env: ["BINNACLE_ACK_TIMEOUT", "PILOT_FLOW_CONTROL_TIMEOUT"],
    type: periodMs,
    default: 15_000,
    defaultText: "15s",
    doc: "how long a proxy may leave a response unanswered before the next one goes out all the same",
    example: "30s",
    of: "pilot",
  },
  streamsPerSecond: {
    name: "max-streams-per-second",
    env: ["BINNACLE_MAX_STREAMS_PER_SECOND", "PILOT_MAX_REQUESTS_PER_SECOND"],
    type: count,
    default: 0,
    defaultText: "0",
    doc: "how many proxies may come in a second; more are told when to come again; 0 measures what they cost and goes by that",
    example: "25",
    of: "pilot",
  },
  maxStreams: {
    name: "max-streams",
    env: ["BINNACLE_MAX_STREAMS", "ISTIO_GPRC_MAXSTREAMS"],
    type: count,
    default: 100_000,
    defaultText: "100000",
    doc: "streams of one connection at a time",
    example: "1000",
    of: "pilot",
  },
  maxStreamsPerPeer: {
    name: "max-streams-per-peer",
    env: ["BINNACLE_MAX_STREAMS_PER_PEER"],
    type: count,
    default: 10_000,
    defaultText: "10000",
    doc: "streams of one peer at a time: of one identity where proxies prove who they are, else of one address; clients on this machine have no limit; 0 for none at all",
    example: "500",
    of: "pilot",
  },
  maxRequestBytes: {
    name: "max-request-bytes",
    env: ["BINNACLE_MAX_REQUEST_BYTES", "ISTIO_GPRC_MAXRECVMSGSIZE"],
    type: count,
    default: 4 << 20,
    defaultText: "4194304",
    doc: "the largest request; an Envoy with 10 000 clusters comes back with about 1.1 MB",
    example: "8388608",
    of: "pilot",
  },
  maxNodeBytes: {
    name: "max-node-bytes",
    env: ["BINNACLE_MAX_NODE_BYTES"],
    type: count,
    default: 256 * 1024,
    defaultText: "262144",
    doc: "the largest node of a proxy, its metadata included; an Envoy's has some 61 kB",
    example: "524288",
    of: "pilot",
  },
  sendTimeoutMs: {
    name: "send-timeout",
    env: ["BINNACLE_SEND_TIMEOUT", "PILOT_XDS_SEND_TIMEOUT"],
    type: durationMs,
    default: 30_000,
    defaultText: "30s",
    doc: "how long a proxy may read nothing of what it was sent before it is cut off; a slow one that reads on is not; 0s for ever",
    example: "1m",
    of: "pilot",
  },
  keepaliveIntervalMs: {
    name: "keepalive-interval",
    env: ["BINNACLE_KEEPALIVE_INTERVAL", "GRPC_KEEPALIVE_INTERVAL"],
    type: periodMs,
    default: 30_000,
    defaultText: "30s",
    doc: "how often a connection is asked whether it is alive",
    example: "10s",
    of: "pilot",
  },
  keepaliveTimeoutMs: {
    name: "keepalive-timeout",
    env: ["BINNACLE_KEEPALIVE_TIMEOUT", "GRPC_KEEPALIVE_TIMEOUT"],
    type: periodMs,
    default: 10_000,
    defaultText: "10s",
    doc: "how long the answer to that may take",
    example: "20s",
    of: "pilot",
  },
  maxConnectionAgeMs: {
    name: "max-connection-age",
    env: ["BINNACLE_MAX_CONNECTION_AGE"],
    type: durationMs,
    default: 30 * 60_000,
    defaultText: "30m",
    doc: "about how long a connection lives before its proxy is asked to open another one, a tenth more or less; 0s for ever",
    example: "1h",
    of: "pilot",
  },
  drainMs: {
    name: "drain",
    env: ["BINNACLE_DRAIN"],
    type: durationMs,
    default: 5_000,
    defaultText: "5s",
    doc: "how long proxies get to leave at a shutdown, many of them one after the other",
    example: "20s",
    of: "pilot",
  },
};
