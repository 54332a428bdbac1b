import type { Metrics } from "./metrics.ts";

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
      "Responses, by type: cds, eds, …, and cds_senderr, … for those whose stream broke before they had left.",
      "type",
    );
    this.writeTimeouts = metrics.counter(
      "pilot_xds_write_timeout",
      "Responses that had not left when their proxy had read nothing for --send-timeout.",
    );
    this.rejects = metrics.counter("pilot_total_xds_rejects", "Responses that proxies rejected.", "type");
    this.expiredNonces = metrics.counter("pilot_xds_expired_nonce", "Requests about an older response.", "type");
    this.delayedPushes = metrics.counter(
      "pilot_xds_delayed_pushes_total",
      "Changes that had to wait for the acknowledgement of an earlier response.",
      "type",
    );
    this.delayedPushTimeouts = metrics.counter(
      "pilot_xds_delayed_push_timeouts_total",
      "Changes that left without the acknowledgement they had been waiting for.",
      "type",
    );
    this.repeatedResponses = metrics.counter(
      "binnacle_xds_repeated_responses_total",
      "Responses with nothing new in them, by what in the protocol or in Envoy's warming demanded them.",
      "type",
      "reason",
    );
    this.internalErrors = metrics.counter("pilot_total_xds_internal_errors", "Generators and pushes that failed.");
    this.contextErrors = metrics.counter(
      "pilot_xds_push_context_errors",
      "Pushes that could not be made; each is tried again by itself.",
    );
    this.pushTriggers = metrics.counter("pilot_push_triggers", "Causes of pushes.", "type");
    this.refusedStreams = metrics.counter("binnacle_xds_refused_total", "Streams that were turned away.");
    this.configSize = metrics.histogram("pilot_xds_config_size_bytes", "Size of the responses.", bytes, "type");
    this.pushTime = metrics.histogram(
      "pilot_xds_push_time",
      "Making the resources of a response, which proxies share, working the response out, and encoding it.",
      seconds,
      "type",
    );
    this.sendTime = metrics.histogram("pilot_xds_send_time", "Handing a response to its stream.", secondsSending);
    this.queueTime = metrics.histogram("pilot_proxy_queue_time", "A proxy's wait for its turn.", secondsWaiting);
    this.debounce = metrics.histogram("pilot_debounce_time", "A change's wait for others.", seconds);
    this.contextInit = metrics.histogram(
      "pilot_pushcontext_init_seconds",
      "Making what a push is made from.",
      secondsMaking,
    );
    this.convergence = metrics.histogram(
      "pilot_proxy_convergence_time",
      "From a change to the moment when its last response left for a proxy.",
      secondsWaiting,
    );
    this.registrations = {
      registered: metrics.counter("auto_registration_success_total", "Machines that got a WorkloadEntry."),
      refreshed: metrics.counter("auto_registration_updates_total", "Machines that came back to theirs."),
      unregistered: metrics.counter("auto_registration_unregister_total", "Machines that went away."),
      deleted: metrics.counter("auto_registration_deletes_total", "WorkloadEntries that went after their machines."),
      failed: metrics.counter("auto_registration_errors_total", "Machines that could not be registered."),
    };
    this.#inboundUpdates = metrics.counter("pilot_inbound_updates", "Changes that reached Pilot.", "type");
  }

  /** Counts the reasons of a push request. */
  countUpdates(reasons: ReadonlyMap<string, number>): void {
    for (const [reason, count] of reasons) {
      this.#inboundUpdates.inc({ type: updateTypes.get(reason) ?? "config" }, count);
    }
  }
}
