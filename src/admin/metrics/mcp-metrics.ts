import type { Metrics } from "./metrics.ts";

/** 1 B to 1 GiB. */
const sizes = Array.from({ length: 16 }, (_, power) => 4 ** power);
const seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

/**
 * MCP metrics, under Istio's names where Istio has the same metric. `component` is `galley` for the source and `pilot`
 * for the sink. Istio's labels `connectionID` and `error` have unbounded values, so they are left out; errors are in
 * the log.
 */
export class McpMetrics {
  readonly requestSizes;
  readonly acks;
  readonly nacks;
  readonly receiveFailures;
  readonly sendFailures;
  readonly reconnections;
  readonly pushSizes;
  readonly ackTime;
  readonly staleAnswers;
  readonly throttled;
  readonly refusedClients;

  constructor(metrics: Metrics) {
    const component = "component";
    const collection = "collection";
    this.requestSizes = metrics.histogram(
      "istio_mcp_message_sizes_bytes",
      "Size of the requests of sinks.",
      sizes,
      component,
      collection,
    );
    this.acks = metrics.counter(
      "istio_mcp_request_acks_total",
      "Pushes that were acknowledged (ACK).",
      component,
      collection,
    );
    this.nacks = metrics.counter(
      "istio_mcp_request_nacks_total",
      "Pushes that were rejected (NACK), including NACKs with a stale nonce.",
      component,
      collection,
      "code",
    );
    this.receiveFailures = metrics.counter("istio_mcp_recv_failures_total", "Streams that failed.", component, "code");
    this.sendFailures = metrics.counter(
      "istio_mcp_send_failures_total",
      "Streams that failed with unsent bytes.",
      component,
      "code",
    );
    this.reconnections = metrics.counter(
      "istio_mcp_reconnections",
      "Streams that this process opened and the peer accepted.",
      component,
    );
    this.pushSizes = metrics.histogram(
      "binnacle_mcp_push_size_bytes",
      "Size of the pushes to sinks.",
      sizes,
      collection,
    );
    this.ackTime = metrics.histogram(
      "binnacle_mcp_ack_seconds",
      "Time from a push to the ACK or NACK of the sink.",
      seconds,
      collection,
    );
    this.staleAnswers = metrics.counter(
      "binnacle_mcp_stale_answers_total",
      "ACKs and NACKs with a stale nonce.",
      collection,
    );
    this.throttled = metrics.counter("binnacle_mcp_throttled_total", "Requests that the rate limit delayed.");
    this.refusedClients = metrics.counter("binnacle_mcp_refused_total", "Clients that were refused.");
  }
}
