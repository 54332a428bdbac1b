import { telemetryOptions } from "../../src/app/options/telemetry-options.ts";
import { attributeTable, eventTable, spanTable } from "../../src/app/telemetry/trace/span-table.ts";
import { markdownTable } from "./table.ts";

/** Variables of OpenTelemetry that many people set, and why they have no effect here. */
const otherVariables: readonly (readonly [name: string, instead: string])[] = [
  ["OTEL_EXPORTER_OTLP_TRACES_*", "one collector gets both signals"],
  ["OTEL_EXPORTER_OTLP_METRICS_*", "one collector gets both signals"],
  ["OTEL_EXPORTER_OTLP_CERTIFICATE", "use Node's `NODE_EXTRA_CA_CERTS`"],
  ["OTEL_EXPORTER_OTLP_COMPRESSION", "nothing is compressed"],
  ["OTEL_TRACES_SAMPLER", "every change has a trace"],
  ["OTEL_SDK_DISABLED", "use `BINNACLE_OTLP_ENDPOINT=off`"],
];

/** The page about traces and metrics by OTLP. */
export function telemetryPage(): string {
  const variables = Object.values(telemetryOptions).map(({ name, env, defaultText }) => {
    const standard = env.filter((each) => each.startsWith("OTEL_")).map(code);
    return [standard.join(", "), code(`--${name}`), defaultText === "" ? "–" : code(defaultText)];
  });
  const spans = Object.values(spanTable).map(({ name, parent, time, attributes }) => {
    const names = attributes.map((key) => code(attributeTable[key][0]));
    return [code(name), parent === "" ? "–" : code(parent), time, names.join(", ") || "–"];
  });
  const events = Object.values(eventTable).map(([name, span, doc, attributes]) => {
    return [code(name), code(span), doc, attributes.map((key) => code(attributeTable[key][0])).join(", ")];
  });
  const attributes = Object.values(attributeTable).map(([name, doc]) => [code(name), doc]);
  return `# Traces and metrics by OTLP

Off by default. With \`--otlp-endpoint URL\` a server sends traces of changes to \`URL/v1/traces\` and all metrics to
\`URL/v1/metrics\` of an OpenTelemetry collector, over HTTP in protobuf. [Monitor Binnacle](../recipes/monitor-binnacle.md#opentelemetry)
shows it; [limits](limits.md) has the bounds. No push waits for a collector. While a collector does not take anything, the log has one
warning, requests are repeated with growing pauses, and the rest is dropped and counted in \`binnacle_otlp_dropped_total\`.

## Variables

A flag wins over its variables, and \`BINNACLE_OTLP_…\` over \`OTEL_…\`. Pages that show variables and arguments mask those of headers.

${markdownTable(["variable of OpenTelemetry", "flag", "default"], variables)}
These have no effect:

${markdownTable(
  ["variable", "instead"],
  otherVariables.map(([name, instead]) => [code(name), instead]),
)}
## A trace

Each change of the configuration is a trace. If one push carries several changes, the trace of the first one has the spans of the
push, and the roots of the others link to its root. The number of spans does not grow with the number of proxies.

${markdownTable(["span", "parent", "time", "attributes"], spans)}
### Events

${markdownTable(["event", "span", "meaning", "attributes"], events)}
### Attributes

${markdownTable(["attribute", "meaning"], attributes)}
## Metrics

All metrics of \`/metrics\`, under [the same names](metrics.md) and with the same labels as attributes: counters as cumulative monotonic
sums since the start of the process, gauges as gauges, histograms with explicit bounds and cumulative counts.

## The process

Traces and metrics have these resource attributes: \`service.name\`, \`service.version\`, \`service.instance.id\`, \`host.name\`,
\`process.pid\`, \`process.runtime.name\`, \`process.runtime.version\`, and those of \`--otlp-resource\`, which win.
`;
}

function code(text: string): string {
  return `\`${text}\``;
}
