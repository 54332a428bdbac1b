import { xdsLimits } from "../../xds/xds-limits.ts";
import type { OptionRows } from "./option.ts";
import { collectorUrl, count, durationMs, onOff, periodMs, singleText } from "./option-values.ts";

/** Options for the rate and the limits of pushes and streams. */
export interface FlowOptions {
  readonly debounceAfterMs: number;
  readonly debounceMaxMs: number;
  readonly debounceEndpoints: boolean;
  readonly pushThrottle: number;
  readonly flowControl: boolean;
  readonly vhds: boolean;
  readonly quarantine: boolean;
  readonly quarantineStore: string;
  readonly prometheus: string;
  readonly rolloutStore: string;
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
    doc: "Pushes configuration after this time without a change. Endpoint changes do not wait.",
    example: "100ms",
    of: "pilot",
  },
  debounceMaxMs: {
    name: "debounce-max",
    env: ["BINNACLE_DEBOUNCE_MAX", "PILOT_DEBOUNCE_MAX"],
    type: durationMs,
    default: 1000,
    defaultText: "1s",
    doc: "Maximum time that a change waits while more changes arrive.",
    example: "10s",
    of: "pilot",
  },
  debounceEndpoints: {
    name: "debounce-endpoints",
    env: ["BINNACLE_DEBOUNCE_ENDPOINTS", "PILOT_ENABLE_EDS_DEBOUNCE"],
    type: onOff,
    default: false,
    defaultText: "off",
    doc: "Debounces endpoint changes too.",
    example: "on",
    of: "pilot",
  },
  pushThrottle: {
    name: "push-throttle",
    env: ["BINNACLE_PUSH_THROTTLE", "PILOT_PUSH_THROTTLE"],
    type: count,
    default: 0,
    defaultText: "0",
    doc: "Maximum number of proxies that receive a push at the same time. 0 means 15, plus 5 for every processor, but at most 100.",
    example: "50",
    of: "pilot",
  },
  flowControl: {
    name: "flow-control",
    env: ["BINNACLE_FLOW_CONTROL", "PILOT_ENABLE_FLOW_CONTROL"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "Sends the next response of a type only after the proxy answers the previous one (ACK or NACK). The order between types is the same either way.",
    example: "off",
    of: "pilot",
  },
  vhds: {
    name: "vhds",
    env: ["BINNACLE_VHDS"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "Sends the virtual hosts of large route configurations as single resources (VHDS), so that an edit of one host sends one host. Only for delta xDS and Envoy 1.40 or newer. Other proxies get whole route configurations.",
    example: "off",
    of: "pilot",
  },
  quarantine: {
    name: "quarantine",
    env: ["BINNACLE_QUARANTINE"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "Finds the object because of which a proxy rejects a response, by trials on that proxy. Proxies of the same role, version and extensions do not get that object. They get its last accepted version or nothing instead. When the object changes, one proxy gets it first, then the others in waves.",
    example: "off",
    of: "pilot",
  },
  quarantineStore: {
    name: "quarantine-store",
    env: ["BINNACLE_QUARANTINE_STORE"],
    type: singleText("off|FILE|configmap:NAME|etcd"),
    default: "off",
    defaultText: "off",
    doc: "Keeps the objects that proxies refuse, and the versions that they accepted before, over a restart. FILE is a file of this process, readable only by its owner. The value configmap:NAME is a ConfigMap in the namespace of --lease-namespace, and etcd is the first etcd source: all replicas share them. It has room for 900 kB, and keeps the newest. Secrets and services of registries are never stored. Without a store, proxies find refused objects anew after a restart.",
    example: "/var/lib/binnacle/quarantine.json",
    of: "pilot",
  },
  prometheus: {
    name: "prometheus",
    env: ["BINNACLE_PROMETHEUS"],
    type: collectorUrl,
    default: "off",
    defaultText: "off",
    doc: "Asks this Prometheus whether the next wave of a staged rollout may begin. Objects with the annotation binnacle.io/rollout-query write the query. Their authors learn whether the result is above their limit.",
    example: "http://prometheus.monitoring:9090",
    of: "pilot",
  },
  rolloutStore: {
    name: "rollout-store",
    env: ["BINNACLE_ROLLOUT_STORE"],
    type: singleText("off|FILE|configmap:NAME|etcd"),
    default: "off",
    defaultText: "off",
    doc: "Keeps staged rollouts, and the versions that all proxies had before, over a restart. FILE is a file of this process, readable only by its owner. The value configmap:NAME is a ConfigMap in the namespace of --lease-namespace, and etcd is the first etcd source: all replicas share them. Without a store, a restarted server serves the new versions to all proxies at once.",
    example: "/var/lib/binnacle/rollouts.json",
    of: "pilot",
  },
  ackTimeoutMs: {
    name: "ack-timeout",
    env: ["BINNACLE_ACK_TIMEOUT", "PILOT_FLOW_CONTROL_TIMEOUT"],
    type: periodMs,
    default: 15_000,
    defaultText: "15s",
    doc: "Sends the next response of a type after this time, even if the proxy has not answered the previous one.",
    example: "30s",
    of: "pilot",
  },
  streamsPerSecond: {
    name: "max-streams-per-second",
    env: ["BINNACLE_MAX_STREAMS_PER_SECOND", "PILOT_MAX_REQUESTS_PER_SECOND"],
    type: count,
    default: 0,
    defaultText: "0",
    doc: "Maximum number of proxies that may connect per second. Further proxies are refused and learn when to retry. 0 adapts the limit to the measured cost of a connection.",
    example: "25",
    of: "pilot",
  },
  maxStreams: {
    name: "max-streams",
    env: ["BINNACLE_MAX_STREAMS", "ISTIO_GPRC_MAXSTREAMS"],
    type: count,
    default: 100_000,
    defaultText: "100000",
    doc: "Maximum number of concurrent streams per connection.",
    example: "1000",
    of: "pilot",
  },
  maxStreamsPerPeer: {
    name: "max-streams-per-peer",
    env: ["BINNACLE_MAX_STREAMS_PER_PEER"],
    type: count,
    default: 10_000,
    defaultText: "10000",
    doc: "Maximum number of concurrent streams per peer. A peer is an identity if proxies authenticate, else an address. Clients on this machine have no limit. 0 means no limit.",
    example: "500",
    of: "pilot",
  },
  maxRequestBytes: {
    name: "max-request-bytes",
    env: ["BINNACLE_MAX_REQUEST_BYTES", "ISTIO_GPRC_MAXRECVMSGSIZE"],
    type: count,
    default: 4 << 20,
    defaultText: "4194304",
    doc: "Maximum size of a request, in bytes. An Envoy that reconnects with 10 000 clusters sends about 1.1 MB.",
    example: "8388608",
    of: "pilot",
  },
  maxNodeBytes: {
    name: "max-node-bytes",
    env: ["BINNACLE_MAX_NODE_BYTES"],
    type: count,
    default: xdsLimits.nodeBytes.most,
    defaultText: "262144",
    doc: "Maximum size of a proxy's node with its metadata, in bytes. The node of an Envoy has about 61 kB.",
    example: "524288",
    of: "pilot",
  },
  sendTimeoutMs: {
    name: "send-timeout",
    env: ["BINNACLE_SEND_TIMEOUT", "PILOT_XDS_SEND_TIMEOUT"],
    type: durationMs,
    default: 30_000,
    defaultText: "30s",
    doc: "Disconnects a proxy that reads nothing for this time. A slow proxy that still reads stays connected. 0s means no timeout.",
    example: "1m",
    of: "pilot",
  },
  keepaliveIntervalMs: {
    name: "keepalive-interval",
    env: ["BINNACLE_KEEPALIVE_INTERVAL", "GRPC_KEEPALIVE_INTERVAL"],
    type: periodMs,
    default: 30_000,
    defaultText: "30s",
    doc: "Interval between keepalive pings on a connection.",
    example: "10s",
    of: "pilot",
  },
  keepaliveTimeoutMs: {
    name: "keepalive-timeout",
    env: ["BINNACLE_KEEPALIVE_TIMEOUT", "GRPC_KEEPALIVE_TIMEOUT"],
    type: periodMs,
    default: 10_000,
    defaultText: "10s",
    doc: "Maximum time to wait for the answer to a keepalive ping.",
    example: "20s",
    of: "pilot",
  },
  maxConnectionAgeMs: {
    name: "max-connection-age",
    env: ["BINNACLE_MAX_CONNECTION_AGE"],
    type: durationMs,
    default: 30 * 60_000,
    defaultText: "30m",
    doc: "Asks the proxy to open a new connection after about this time, with 10% jitter. 0s means no limit.",
    example: "1h",
    of: "pilot",
  },
  drainMs: {
    name: "drain",
    env: ["BINNACLE_DRAIN"],
    type: durationMs,
    default: 5_000,
    defaultText: "5s",
    doc: "Time for proxies to disconnect during shutdown. Many proxies are disconnected one after the other.",
    example: "20s",
    of: "pilot",
  },
};
