import type { Metrics } from "./metrics.ts";
import { QuarantineMetrics } from "./quarantine-metrics.ts";

const seconds = [0.01, 0.1, 0.5, 1, 3, 5, 10, 20, 30];
const secondsSending = [0.01, 0.1, 1, 3, 5, 10, 20, 30];
const secondsMaking = [0.01, 0.1, 0.5, 1, 3, 5];
const secondsWaiting = [0.1, 0.5, 1, 3, 5, 10, 20, 30];
const bytes = [1, 1e4, 1e6, 4e6, 1e7, 4e7];

/** Reasons of push requests, in Istio's words. */
const updateTypes: ReadonlyMap<string, string> = new Map([
  ["service", "svc"],
  ["endpoint", "eds"],
]);

/** Metrics of pushes to proxies. Types are `cds`, `eds`, …, and type URLs for sizes; times are in seconds. */
export class PilotMetrics {
  readonly pushes;
  readonly writeTimeouts;
  readonly rejects;
  readonly quarantine;
  readonly rolloutEvents;
  readonly expiredNonces;
  readonly delayedPushes;
  readonly delayedPushTimeouts;
  readonly repeatedResponses;
  readonly internalErrors;
  readonly contextErrors;
  readonly pushTriggers;
  readonly refusedStreams;
  readonly configSize;
  readonly pushTime;
  readonly sendTime;
  readonly queueTime;
  readonly debounce;
  readonly contextInit;
  readonly convergence;
  /** By the result of a workload registration. */
  readonly registrations;
  readonly #inboundUpdates;

  constructor(metrics: Metrics) {
    this.pushes = metrics.counter(
      "pilot_xds_pushes",
      "Responses, by type: cds, eds, …. Types such as cds_senderr count responses whose stream failed before they were sent.",
      "type",
    );
    this.writeTimeouts = metrics.counter(
      "pilot_xds_write_timeout",
      "Responses that were not sent because the proxy read nothing for --send-timeout.",
    );
    this.rejects = metrics.counter("pilot_total_xds_rejects", "Responses that proxies rejected (NACK).", "type");
    this.quarantine = new QuarantineMetrics(metrics);
    this.rolloutEvents = metrics.counter(
      "binnacle_rollout_events_total",
      "Steps of staged rollouts: started, changed, wave, acknowledged, gate, paused, resumed, halted, aborted, promoted, finished, withdrawn.",
      "event",
    );
    this.expiredNonces = metrics.counter("pilot_xds_expired_nonce", "Requests with an expired nonce.", "type");
    this.delayedPushes = metrics.counter(
      "pilot_xds_delayed_pushes_total",
      "Pushes that waited for the ACK of an earlier response.",
      "type",
    );
    this.delayedPushTimeouts = metrics.counter(
      "pilot_xds_delayed_push_timeouts_total",
      "Delayed pushes that were sent after --ack-timeout, without the ACK.",
      "type",
    );
    this.repeatedResponses = metrics.counter(
      "binnacle_xds_repeated_responses_total",
      "Responses without changes, by the rule of xDS or of Envoy's warming that requires them.",
      "type",
      "reason",
    );
    this.internalErrors = metrics.counter("pilot_total_xds_internal_errors", "Failures of generators and streams.");
    this.contextErrors = metrics.counter(
      "pilot_xds_push_context_errors",
      "Pushes that failed. Each is retried automatically.",
    );
    this.pushTriggers = metrics.counter("pilot_push_triggers", "Reasons of pushes, by type.", "type");
    this.refusedStreams = metrics.counter("binnacle_xds_refused_total", "Streams that were refused.");
    this.configSize = metrics.histogram("pilot_xds_config_size_bytes", "Size of the responses.", bytes, "type");
    this.pushTime = metrics.histogram(
      "pilot_xds_push_time",
      "Time to generate the resources of a response, to compute the response and to encode it.",
      seconds,
      "type",
    );
    this.sendTime = metrics.histogram("pilot_xds_send_time", "Time to write a response to its stream.", secondsSending);
    this.queueTime = metrics.histogram(
      "pilot_proxy_queue_time",
      "Time that a proxy waits in the push queue.",
      secondsWaiting,
    );
    this.debounce = metrics.histogram("pilot_debounce_time", "Time that a change waits for the debounce.", seconds);
    this.contextInit = metrics.histogram(
      "pilot_pushcontext_init_seconds",
      "Time to build the push context.",
      secondsMaking,
    );
    this.convergence = metrics.histogram(
      "pilot_proxy_convergence_time",
      "Time from a change until its last response to a proxy is sent.",
      secondsWaiting,
    );
    this.registrations = {
      registered: metrics.counter(
        "auto_registration_success_total",
        "Machines that were registered with a new WorkloadEntry.",
      ),
      refreshed: metrics.counter(
        "auto_registration_updates_total",
        "Machines that reconnected and kept their WorkloadEntry.",
      ),
      unregistered: metrics.counter("auto_registration_unregister_total", "Machines that disconnected."),
      deleted: metrics.counter(
        "auto_registration_deletes_total",
        "WorkloadEntries that were deleted after their machine disconnected.",
      ),
      failed: metrics.counter("auto_registration_errors_total", "Machines that could not be registered."),
    };
    this.#inboundUpdates = metrics.counter("pilot_inbound_updates", "Changes that reached Pilot, by type.", "type");
  }

  /** Counts the reasons of a push request. */
  countUpdates(reasons: ReadonlyMap<string, number>): void {
    for (const [reason, count] of reasons) {
      this.#inboundUpdates.inc({ type: updateTypes.get(reason) ?? "config" }, count);
    }
  }
}
