import type { Metrics } from "../../admin/metrics/metrics.ts";

/** @param phase of the root rotation; undefined before the start of the authority */
export function installRotationGauge(metrics: Metrics, phase: () => string | undefined): void {
  metrics.observe({
    type: "gauge",
    name: "binnacle_ca_rotation_phase",
    help: "1 for the phase of the root rotation: steady, distribute, sign or retire.",
    labels: ["phase"],
    values: () => [phase()].flatMap((known) => (known === undefined ? [] : [[{ phase: known }, 1] as const])),
  });
}
