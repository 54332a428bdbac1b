import { type Board, rates, sums } from "./board.ts";

export const safety: Board = {
  uid: "binnacle-safety",
  title: "Binnacle: quarantine, overload and certificates",
  about: "Refused objects, the load of the servers, certificates, and work that is done beside the pushes.",
  rows: [
    {
      title: "Quarantine",
      panels: [
        {
          title: "Objects in quarantine",
          about: "Objects that are kept away from a class of proxies, by kind. `binnacle quarantine list` lists them.",
          queries: [{ expr: "max by (kind) (binnacle_quarantine_objects{$})", legend: "{{kind}}" }],
        },
        {
          title: "Searches",
          about: "Searches for a refused object per second, by result. inconclusive: no object explains the rejection.",
          unit: "ops",
          queries: rates("binnacle_quarantine_searches_total", "result"),
        },
        {
          title: "Into and out of quarantine",
          about:
            "Objects per second that were quarantined and released, and configurations that were tried on a proxy.",
          unit: "ops",
          queries: [
            { expr: "sum(rate(binnacle_quarantined_objects_total{$}[$__rate_interval]))", legend: "quarantined" },
            { expr: "sum(rate(binnacle_quarantine_releases_total{$}[$__rate_interval]))", legend: "released" },
            { expr: "sum(rate(binnacle_quarantine_probes_total{$}[$__rate_interval]))", legend: "probes" },
          ],
        },
      ],
    },
    {
      title: "Load",
      panels: [
        {
          title: "Level",
          about: "0 is normal, 1 elevated, 2 high, 3 critical. From 2 on, new streams are refused.",
          queries: [{ expr: "binnacle_overload_level{$}", legend: "{{instance}}" }],
        },
        {
          title: "Pressure",
          about: "Use of each scarce resource, such as memory or the event loop. At 1 the load is critical.",
          queries: [{ expr: "max by (resource) (binnacle_pressure{$})", legend: "{{resource}}" }],
        },
        {
          title: "Shed work",
          about: "Work per second that was delayed or refused because of the load, by class.",
          unit: "ops",
          queries: rates("binnacle_shed_work_total", "class"),
        },
        {
          title: "Stuck main thread",
          about: "Times per second that the main thread made no progress for --watchdog.",
          unit: "ops",
          queries: [
            {
              expr: "sum by (instance) (rate(binnacle_main_thread_stalls_total{$}[$__rate_interval]))",
              legend: "{{instance}}",
            },
          ],
        },
        {
          title: "Refused streams",
          about: "Streams per second that were refused.",
          unit: "ops",
          queries: [
            {
              expr: "sum by (instance) (rate(binnacle_xds_refused_total{$}[$__rate_interval]))",
              legend: "{{instance}}",
            },
          ],
        },
        {
          title: "Garbage collection",
          about: "Share of the time that the main thread spends on garbage collection, by kind.",
          unit: "percentunit",
          queries: rates("nodejs_gc_duration_seconds_sum", "kind"),
        },
      ],
    },
    {
      title: "Certificates",
      panels: [
        {
          title: "Days until expiry",
          about: "The first certificate to expire, by use: root, signing, next, chain or server.",
          unit: "d",
          queries: [
            {
              expr: "(min by (use) (binnacle_certificate_expiry_timestamp_seconds{$}) - time()) / 86400",
              legend: "{{use}}",
            },
          ],
        },
        {
          title: "Requests for certificates",
          about: "Requests and signed certificates per second.",
          unit: "ops",
          queries: [
            { expr: "sum(rate(citadel_server_csr_count{$}[$__rate_interval]))", legend: "requests" },
            { expr: "sum(rate(citadel_server_success_cert_issuance_count{$}[$__rate_interval]))", legend: "signed" },
          ],
        },
        {
          title: "Refused requests",
          about: "Requests per second that were not signed, by reason.",
          unit: "ops",
          queries: [
            {
              expr: "sum by (error) (rate(citadel_server_csr_sign_err_count{$}[$__rate_interval]))",
              legend: "{{error}}",
            },
            {
              expr: "sum(rate(citadel_server_authentication_failure_count{$}[$__rate_interval]))",
              legend: "not authenticated",
            },
            { expr: "sum(rate(citadel_server_csr_parsing_err_count{$}[$__rate_interval]))", legend: "invalid" },
          ],
        },
        {
          title: "Root rotation",
          about: "1 for the current phase: steady, distribute, sign or retire.",
          queries: [{ expr: "max by (phase) (binnacle_ca_rotation_phase{$})", legend: "{{phase}}" }],
        },
        {
          title: "Secrets for proxies",
          about: "Secrets that connected proxies ask for, by state.",
          queries: [{ expr: "sum by (state) (pilot_sds_secrets{$})", legend: "{{state}}" }],
        },
        {
          title: "Key sets",
          about: "Key sets of RequestAuthentications, by state. failing: proxies reject all tokens of the issuer.",
          queries: [{ expr: "max by (state) (binnacle_jwks_key_sets{$})", legend: "{{state}}" }],
        },
      ],
    },
    {
      title: "Beside the pushes",
      panels: [
        {
          title: "Failures of parts",
          about: "Failures per second of parts that no proxy waits for. The log has the stacks.",
          unit: "ops",
          queries: rates("binnacle_part_failures_total", "part"),
        },
        {
          title: "Leaders",
          about: "Servers that lead, by Lease. It should be 1.",
          queries: sums("binnacle_leader", "lease"),
        },
        {
          title: "Lost log lines",
          about: "Log lines per second that were dropped, because the reader stalled or the disk was full.",
          unit: "ops",
          queries: [
            {
              expr: "sum by (instance) (rate(binnacle_log_dropped_lines_total{$}[$__rate_interval]))",
              legend: "{{instance}}",
            },
          ],
        },
      ],
    },
  ],
};
