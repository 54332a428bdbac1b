import { type Board, quantiles, rates, slowest } from "./board.ts";

export const pushes: Board = {
  uid: "binnacle-pushes",
  title: "Binnacle: pushes and convergence",
  about: "Where the time of a change goes, from its commit to the acknowledgement of the last proxy.",
  rows: [
    {
      title: "The way of a change",
      panels: [
        {
          title: "Reasons of pushes",
          about: "Updates in pushes per second, by reason.",
          unit: "ops",
          queries: rates("pilot_push_triggers", "type"),
        },
        {
          title: "Debounce",
          about:
            "Time that a change waits for others, so that one push carries them (--debounce-after, --debounce-max).",
          unit: "s",
          queries: quantiles("pilot_debounce_time"),
        },
        {
          title: "Building",
          about: "Time to capture the mesh and to generate all resources that changed.",
          unit: "s",
          queries: quantiles("pilot_pushcontext_init_seconds"),
        },
        {
          title: "Push queue",
          about: "Time that a proxy waits in the push queue.",
          unit: "s",
          queries: quantiles("pilot_proxy_queue_time"),
        },
        {
          title: "Sending",
          about: "Time to write a response to its stream.",
          unit: "s",
          queries: quantiles("pilot_xds_send_time"),
        },
        {
          title: "Until it is sent",
          about: "From a change until its last response to a proxy is sent.",
          unit: "s",
          queries: quantiles("pilot_proxy_convergence_time"),
        },
      ],
    },
    {
      title: "Responses",
      panels: [
        {
          title: "Responses",
          about: "Responses per second, by type.",
          unit: "ops",
          queries: rates("pilot_xds_pushes", "type"),
        },
        {
          title: "Bytes",
          about: "Bytes of responses per second, by type.",
          unit: "Bps",
          queries: rates("pilot_xds_config_size_bytes_sum", "type"),
        },
        {
          title: "Slowest responses",
          about: "Time to generate, compute and encode a response (p99), by type.",
          unit: "s",
          queries: slowest("pilot_xds_push_time", "type"),
        },
        {
          title: "Encoded messages",
          about:
            "Messages that were encoded per second. Proxies share encodings: the number does not depend on the number of proxies.",
          unit: "ops",
          queries: [{ expr: "sum(rate(binnacle_encodings_total{$}[$__rate_interval]))", legend: "encodings" }],
        },
        {
          title: "Parts in memory",
          about: "Parts of responses in memory. Proxies with equal inputs share a part.",
          queries: [{ expr: "binnacle_parts{$}", legend: "{{instance}}" }],
        },
        {
          title: "Responses without changes",
          about: "Responses that a rule of xDS or of Envoy's warming requires, although nothing in them is new.",
          unit: "ops",
          queries: rates("binnacle_xds_repeated_responses_total", "reason"),
        },
      ],
    },
    {
      title: "Answers of proxies",
      panels: [
        {
          title: "Rejections",
          about: "Responses that proxies rejected per second, by type.",
          unit: "ops",
          queries: rates("pilot_total_xds_rejects", "type"),
        },
        {
          title: "Rejected resources",
          about: "Proxies that reject a resource now, with the object behind it and its file and line.",
          queries: [
            {
              expr: "sum by (type, resource, object, reference) (binnacle_rejected_resources{$})",
              legend: "{{type}} {{resource}}: {{object}} {{reference}}",
            },
          ],
        },
        {
          title: "Waiting for acknowledgements",
          about: "Pushes per second that waited for the ACK of an earlier response.",
          unit: "ops",
          queries: rates("pilot_xds_delayed_pushes_total", "type"),
        },
        {
          title: "Missing acknowledgements",
          about: "Pushes per second that were sent after --ack-timeout, without the ACK.",
          unit: "ops",
          queries: rates("pilot_xds_delayed_push_timeouts_total", "type"),
        },
        {
          title: "Expired nonces",
          about: "Requests per second that answer an older response. A few are normal.",
          unit: "ops",
          queries: rates("pilot_xds_expired_nonce", "type"),
        },
        {
          title: "Streams",
          about: "Streams that were refused, and responses that were not sent because the proxy read nothing.",
          unit: "ops",
          queries: [
            { expr: "sum(rate(binnacle_xds_refused_total{$}[$__rate_interval]))", legend: "refused" },
            { expr: "sum(rate(pilot_xds_write_timeout{$}[$__rate_interval]))", legend: "read nothing" },
          ],
        },
      ],
    },
  ],
};
