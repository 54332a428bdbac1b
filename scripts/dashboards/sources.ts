import { type Board, quantiles, rates, slowest, sums } from "./board.ts";

export const sources: Board = {
  uid: "binnacle-sources",
  title: "Binnacle: sources, Galley and MCP",
  about: "Configuration on its way in: sources, the processing of Galley, the webhook, and MCP sinks.",
  rows: [
    {
      title: "Sources",
      panels: [
        {
          title: "Objects",
          about: "Objects of each source. Objects that lose a name clash count too.",
          queries: [
            {
              expr: "sum by (source) (max by (source, collection) (binnacle_source_objects{$}))",
              legend: "{{source}}",
            },
          ],
        },
        {
          title: "Staleness",
          about: "Time since a source became stale; 0 while it is current. A stale source keeps its last state.",
          unit: "s",
          queries: [{ expr: "max by (source) (binnacle_source_stale_seconds{$})", legend: "{{source}}" }],
        },
        {
          title: "Full syncs and errors",
          about: "Full reads of a source, and times that it became stale, per second.",
          unit: "ops",
          queries: [
            {
              expr: "sum by (source) (rate(binnacle_source_syncs_total{$}[$__rate_interval]))",
              legend: "{{source}} syncs",
            },
            {
              expr: "sum by (source) (rate(binnacle_source_errors_total{$}[$__rate_interval]))",
              legend: "{{source}} errors",
            },
          ],
        },
        {
          title: "Objects left out",
          about: "Objects that are not served, because they do not fit into memory.",
          queries: [{ expr: "max by (source) (binnacle_source_left_out_objects{$})", legend: "{{source}}" }],
        },
        {
          title: "Kubernetes events",
          about:
            "Objects that API servers added, changed or deleted per second, and times that a source lost its server.",
          unit: "ops",
          queries: [
            { expr: "sum(rate(galley_source_kube_event_success_total{$}[$__rate_interval]))", legend: "events" },
            { expr: "sum(rate(galley_source_kube_event_error_total{$}[$__rate_interval]))", legend: "errors" },
          ],
        },
        {
          title: "Kubernetes objects with errors",
          about: "Objects of API servers that could not be used, per second, by kind.",
          unit: "ops",
          queries: rates("galley_source_kube_dynamic_converter_failure_total", "kind"),
        },
      ],
    },
    {
      title: "Processing",
      panels: [
        {
          title: "Events",
          about: "Events of all sources per second.",
          unit: "ops",
          queries: [
            {
              expr: "sum(rate(galley_runtime_processor_events_processed_total{$}[$__rate_interval]))",
              legend: "events",
            },
          ],
        },
        {
          title: "Snapshots",
          about: "Published snapshots per second, and how many changes reached a publishing strategy.",
          unit: "ops",
          queries: [
            {
              expr: "sum(rate(galley_runtime_processor_snapshots_published_total{$}[$__rate_interval]))",
              legend: "snapshots",
            },
            { expr: "sum(rate(galley_runtime_strategy_on_change_total{$}[$__rate_interval]))", legend: "changes" },
          ],
        },
        {
          title: "Time between two snapshots",
          about: "How long a snapshot stays the newest one.",
          unit: "ms",
          queries: quantiles("galley_runtime_processor_snapshot_lifetime_duration_milliseconds"),
        },
        {
          title: "Objects in use",
          about: "Objects in use, by collection.",
          queries: [
            {
              expr: "max by (collection) (galley_runtime_state_type_instances_total{$}) > 0",
              legend: "{{collection}}",
            },
          ],
        },
        {
          title: "Issues of the configuration",
          about: "Errors prevent the use of an object, warnings do not.",
          queries: [{ expr: "max by (severity) (binnacle_config_issues{$})", legend: "{{severity}}" }],
        },
        {
          title: "Messages of the analysis",
          about: "Messages of the last analysis of the whole mesh, by level. `binnacle analyze` lists them.",
          queries: [{ expr: "max by (level) (binnacle_analysis_messages{$})", legend: "{{level}}" }],
        },
      ],
    },
    {
      title: "Admission webhook",
      panels: [
        {
          title: "Objects",
          about: "Objects that the webhook admitted and denied per second, by resource.",
          unit: "ops",
          queries: [
            {
              expr: "sum by (resource) (rate(galley_validation_passed{$}[$__rate_interval]))",
              legend: "{{resource}} admitted",
            },
            {
              expr: "sum by (resource, reason) (rate(galley_validation_failed{$}[$__rate_interval]))",
              legend: "{{resource}} denied: {{reason}}",
            },
          ],
        },
        {
          title: "Certificate and registration",
          about: "Reloads of the certificate, and failed updates of the ValidatingWebhookConfiguration, per second.",
          unit: "ops",
          queries: [
            { expr: "sum(rate(galley_validation_cert_key_updates{$}[$__rate_interval]))", legend: "reloads" },
            {
              expr: "sum by (reason) (rate(galley_validation_config_update_error{$}[$__rate_interval]))",
              legend: "{{reason}}",
            },
          ],
        },
      ],
    },
    {
      title: "MCP",
      panels: [
        {
          title: "Sinks",
          about: "Connected MCP sinks.",
          queries: sums("istio_mcp_clients_total", "component"),
        },
        {
          title: "Acknowledged pushes",
          about: "Pushes that sinks acknowledged per second, by collection.",
          unit: "ops",
          queries: rates("istio_mcp_request_acks_total", "collection"),
        },
        {
          title: "Rejected pushes",
          about: "Pushes that sinks rejected per second, by collection and code.",
          unit: "ops",
          queries: [
            {
              expr: "sum by (collection, code) (rate(istio_mcp_request_nacks_total{$}[$__rate_interval]))",
              legend: "{{collection}} {{code}}",
            },
          ],
        },
        {
          title: "Time until an acknowledgement",
          about: "From a push to the answer of the sink (p99), by collection.",
          unit: "s",
          queries: slowest("binnacle_mcp_ack_seconds", "collection"),
        },
        {
          title: "Bytes to sinks",
          about: "Bytes of pushes per second, by collection.",
          unit: "Bps",
          queries: rates("binnacle_mcp_push_size_bytes_sum", "collection"),
        },
        {
          title: "Streams",
          about: "Streams that this process opened, and streams that failed, per second.",
          unit: "ops",
          queries: [
            { expr: "sum(rate(istio_mcp_reconnections{$}[$__rate_interval]))", legend: "opened" },
            {
              expr: "sum by (code) (rate(istio_mcp_recv_failures_total{$}[$__rate_interval]))",
              legend: "failed: {{code}}",
            },
            { expr: "sum(rate(binnacle_mcp_refused_total{$}[$__rate_interval]))", legend: "refused" },
          ],
        },
      ],
    },
  ],
};
