import { CaMetrics } from "../../src/admin/metrics/ca-metrics.ts";
import { GalleyMetrics } from "../../src/admin/metrics/galley-metrics.ts";
import { McpMetrics } from "../../src/admin/metrics/mcp-metrics.ts";
import { Metrics } from "../../src/admin/metrics/metrics.ts";
import { PilotMetrics } from "../../src/admin/metrics/pilot-metrics.ts";
import { StatusMetrics } from "../../src/admin/metrics/status-metrics.ts";
import type { GalleyState } from "../../src/admin/state.ts";
import { InjectionMetrics } from "../../src/admin/webhook/injection-metrics.ts";
import { InjectorMetrics } from "../../src/admin/webhook/injector-metrics.ts";
import { RegistrationMetrics } from "../../src/admin/webhook/registration-metrics.ts";
import { WebhookMetrics } from "../../src/admin/webhook/webhook-metrics.ts";
import type { AnalysisState } from "../../src/app/analysis/analysis.ts";
import { installAnalysisGauges } from "../../src/app/gauges/analysis-gauges.ts";
import { installRotationGauge } from "../../src/app/gauges/rotation-gauge.ts";
import { installBuildGauge } from "../../src/app/gauges/build-gauge.ts";
import { installConflictGauges } from "../../src/app/gauges/conflict-gauges.ts";
import { installGalleyGauges } from "../../src/app/gauges/galley-gauges.ts";
import { electionsOf } from "../../src/app/gauges/leader-gauge.ts";
import { installLogGauge } from "../../src/app/gauges/log-gauge.ts";
import { installMcpGauges } from "../../src/app/gauges/mcp-gauges.ts";
import { installOverloadGauges } from "../../src/app/gauges/overload-gauges.ts";
import { otlpCounters } from "../../src/app/gauges/otlp-counters.ts";
import { partFailures } from "../../src/app/gauges/part-failures.ts";
import { installPatchGauges } from "../../src/app/gauges/patch-gauges.ts";
import { installPilotGauges, type PilotGauged } from "../../src/app/gauges/pilot-gauges.ts";
import { installProxyGauges } from "../../src/app/gauges/proxy-gauges.ts";
import { countRegistryEvents } from "../../src/app/gauges/registry-events.ts";
import { installSourceGauges } from "../../src/app/gauges/source-gauges.ts";
import { installStallGauge } from "../../src/app/gauges/stall-gauge.ts";
import { KeySetLog } from "../../src/app/jwks/key-set-log.ts";
import { silentLogger } from "../../src/app/log/silent-logger.ts";
import type { Pipeline } from "../../src/app/pipeline.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { Graph } from "../../src/collection/graph.ts";
import { Overload } from "../../src/lib/overload/overload.ts";
import { Supervisor } from "../../src/lib/supervisor.ts";
import { markdownTable } from "./table.ts";

export function metricsPage(): string {
  const all = new Metrics();
  for (const Part of [
    PilotMetrics,
    GalleyMetrics,
    McpMetrics,
    WebhookMetrics,
    RegistrationMetrics,
    InjectionMetrics,
    InjectorMetrics,
    StatusMetrics,
  ])
    void new Part(all);
  // The page needs only descriptions, so nothing reads the values of the gauges.
  installBuildGauge(all, "", []);
  installLogGauge(all, () => 0);
  installStallGauge(all, () => 0);
  installProxyGauges(all, { connections: () => [] }, systemClock);
  electionsOf(all);
  installOverloadGauges(all, new Overload());
  installPilotGauges(all, {} as PilotGauged);
  installGalleyGauges(all, {} as GalleyState);
  installAnalysisGauges(all, () => ({}) as AnalysisState);
  installConflictGauges(all, () => []);
  installMcpGauges(all, () => []);
  installPatchGauges(all, () => []);
  installSourceGauges(all, () => []);
  void new CaMetrics(all, () => []);
  installRotationGauge(all, () => undefined);
  void new KeySetLog(silentLogger, all, () => []);
  const graph = new Graph();
  partFailures(all);
  otlpCounters(all);
  const supervisor = new Supervisor({ clock: systemClock, onFailure: () => {} });
  countRegistryEvents({ metrics: all, supervisor }, { galley: graph, pilot: graph } as Pipeline);
  const ours = all.registry.getMetricsAsArray().filter(({ name }) => !/^(?:process|nodejs)_/.test(name));
  const rows = ours.map((metric) => {
    const { labelNames } = metric as unknown as { readonly labelNames: readonly string[] };
    return [`\`${metric.name}\``, labelNames.map((label) => `\`${label}\``).join(", ") || "–", metric.help];
  });
  return `# Metrics

Served at \`/metrics\` (\`--metrics\`), beside the metrics of the process. Names that begin with \`pilot_\`, \`galley_\` or
\`citadel_\` are Istio's, and have Istio's meaning. Types are \`cds\`, \`eds\`, \`lds\` and \`rds\`; metrics of sizes have their URLs instead.
Times are in seconds unless the name has another unit.

Each collection has a gauge, such as \`galley_istio_networking_gateways\` with the labels \`namespace\`, \`name\` and
\`version\`. It is 1 for every existing object, and once 0 for a deleted one. With more than a thousand objects the gauge is
empty: \`galley_runtime_state_type_instances_total\` has their number.

${markdownTable(
  ["metric", "labels", "meaning"],
  rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
)}`;
}
