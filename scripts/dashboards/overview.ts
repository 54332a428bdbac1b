import { type Board, quantiles, rates } from "./board.ts";

export const overview: Board = {
  uid: "binnacle-overview",
  title: "Binnacle: control plane overview",
  about: "Is the control plane well, and is every proxy up to date? Red numbers need a look.",
  rows: [
    {
      title: "Is it well?",
      panels: [
        {
          title: "Proxies",
          about: "Connected proxies.",
          stat: {},
          queries: [{ expr: "sum(binnacle_proxies{$})" }],
        },
        {
          title: "In sync",
          about: "Share of the proxies that have acknowledged everything.",
          unit: "percentunit",
          stat: {},
          queries: [{ expr: 'sum(binnacle_proxies{$,state="synced"}) / sum(binnacle_proxies{$})' }],
        },
        {
          title: "Rejecting",
          about: "Proxies that reject a resource. They keep the last good version. `binnacle proxy-status` lists them.",
          stat: { redFrom: 1 },
          queries: [{ expr: 'sum(binnacle_proxies{$,state="rejecting"})' }],
        },
        {
          title: "Longest behind",
          about: "The longest time that a proxy has not answered the same push.",
          unit: "s",
          stat: { redFrom: 120 },
          queries: [{ expr: "max(binnacle_proxy_behind_seconds{$})" }],
        },
        {
          title: "Stale sources",
          about: "Sources that cannot be read now. Their last state stays in use. `binnacle sources` has the reasons.",
          stat: { redFrom: 1 },
          queries: [{ expr: "count(max by (source) (binnacle_source_stale_seconds{$}) > 0) or vector(0)" }],
        },
        {
          title: "Errors in the configuration",
          about: "Errors of objects. `binnacle analyze --server` lists them with file and line.",
          stat: { redFrom: 1 },
          queries: [{ expr: 'max(binnacle_config_issues{$,severity="error"})' }],
        },
        {
          title: "In quarantine",
          about: "Objects that are kept away from proxies that refuse them. `binnacle quarantine list` lists them.",
          stat: { redFrom: 1 },
          queries: [{ expr: "sum(max by (kind) (binnacle_quarantine_objects{$})) or vector(0)" }],
        },
        {
          title: "Load",
          about: "0 is normal, 1 elevated, 2 high, 3 critical. From 2 on, new streams are refused.",
          stat: { redFrom: 2 },
          queries: [{ expr: "max(binnacle_overload_level{$})" }],
        },
      ],
    },
    {
      title: "Changes and pushes",
      panels: [
        {
          title: "Changes",
          about: "Changes that reached Pilot per second, by type: config, svc (services) and eds (endpoints).",
          unit: "ops",
          queries: rates("pilot_inbound_updates", "type"),
        },
        {
          title: "Responses to proxies",
          about: "Responses per second, by type. Types such as cds_senderr are responses that were not sent.",
          unit: "ops",
          queries: rates("pilot_xds_pushes", "type"),
        },
        {
          title: "Time until a change is sent",
          about: "From a change until its last response to a proxy is sent.",
          unit: "s",
          queries: quantiles("pilot_proxy_convergence_time"),
        },
        {
          title: "Proxies by state",
          about:
            "synced: everything is acknowledged. behind: something is not sent or not acknowledged. rejecting: a resource is rejected.",
          queries: [{ expr: "sum by (state) (binnacle_proxies{$})", legend: "{{state}}" }],
        },
        {
          title: "Proxies by version",
          about: "Connected proxies, by the version that they report.",
          queries: [{ expr: "sum by (version) (pilot_xds{$})", legend: "{{version}}" }],
        },
        {
          title: "Services and VirtualServices",
          about: "Objects of the mesh that Pilot serves.",
          queries: [
            { expr: "max(pilot_services{$})", legend: "services" },
            { expr: "max(pilot_virt_services{$})", legend: "VirtualServices" },
          ],
        },
      ],
    },
    {
      title: "Servers",
      panels: [
        {
          title: "CPU",
          about: "Cores in use.",
          queries: [{ expr: "rate(process_cpu_seconds_total{$}[$__rate_interval])", legend: "{{instance}}" }],
        },
        {
          title: "Memory",
          about: "Resident memory, and the used part of the heap of JavaScript.",
          unit: "bytes",
          queries: [
            { expr: "process_resident_memory_bytes{$}", legend: "{{instance}} resident" },
            { expr: "nodejs_heap_size_used_bytes{$}", legend: "{{instance}} heap" },
          ],
        },
        {
          title: "Delay of the event loop",
          about: "How late turns of the event loop are (p99). Everything that the server does is late by as much.",
          unit: "s",
          queries: [{ expr: "nodejs_eventloop_lag_p99_seconds{$}", legend: "{{instance}}" }],
        },
        {
          title: "Uptime",
          about: "A line that falls to 0 is a restart.",
          unit: "s",
          queries: [{ expr: "istiod_uptime_seconds{$}", legend: "{{instance}}" }],
        },
        {
          title: "Versions",
          about: "Servers, by the version of Binnacle.",
          queries: [{ expr: "count by (version) (pilot_info{$})", legend: "{{version}}" }],
        },
        {
          title: "Failures",
          about:
            "Pushes that failed, failures of generators and streams, and failures of parts that no proxy waits for.",
          unit: "ops",
          queries: [
            { expr: "sum(rate(pilot_xds_push_context_errors{$}[$__rate_interval]))", legend: "pushes" },
            {
              expr: "sum(rate(pilot_total_xds_internal_errors{$}[$__rate_interval]))",
              legend: "generators and streams",
            },
            { expr: "sum by (part) (rate(binnacle_part_failures_total{$}[$__rate_interval]))", legend: "{{part}}" },
          ],
        },
      ],
    },
  ],
};
