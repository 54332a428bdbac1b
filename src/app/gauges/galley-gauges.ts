import type { Metrics } from "../../admin/metrics/metrics.ts";
import type { GalleyState } from "../../admin/state.ts";
import { countBy } from "./count-by.ts";
import { ObjectGauge, objectGaugeName } from "./object-gauge.ts";

/** Installs the gauges of Galley that are computed at each scrape. */
export function installGalleyGauges(metrics: Metrics, state: GalleyState): void {
  metrics.observe({
    type: "gauge",
    name: "binnacle_config_issues",
    help: "Current issues of the configuration, by severity.",
    labels: ["severity"],
    values: () =>
      countBy(
        [...state.issues()].flatMap(({ issues }) => issues),
        ({ severity }) => severity,
        ["error", "warning"],
      ).map(([severity, count]) => [{ severity }, count]),
  });
  metrics.observe({
    type: "gauge",
    name: "galley_runtime_state_type_instances_total",
    help: "Objects in use, by output collection.",
    labels: ["collection"],
    values: () => state.configs.entries().map(([collection, { size }]) => [{ collection }, size]),
  });
}

/** Installs one gauge per collection, with a series per object. The gauge has the name of the collection. */
export function installObjectGauges(metrics: Metrics, configs: GalleyState["configs"]): void {
  const named = [...configs].flatMap(([name, collection]) => {
    const gauge = objectGaugeName(name);
    return gauge === undefined ? [] : [{ gauge, collection }];
  });
  for (const [name, members] of Map.groupBy(named, ({ gauge }) => gauge)) {
    const gauge = new ObjectGauge(members.map(({ collection }) => collection));
    metrics.observe({
      type: "gauge",
      name,
      help: "1 for each current object, and 0 once for each removed object.",
      labels: ["namespace", "name", "version"],
      values: () => gauge.values(),
    });
  }
}
