import { telemetry } from "../kinds/telemetry.ts";
import type { KindEffects } from "./effect-table.ts";

/** Group and kind of a target go together, and a target is in the namespace of its policy. */
const ofTargets = ["targetRef", "targetRefs[]"].flatMap((field) =>
  ["group", "kind", "namespace"].map((name) => `${field}.${name}`),
);

/** Every field of Telemetry has an effect. Metrics are for proxies that have Istio's stats filter. */
export const telemetryEffects: readonly KindEffects[] = [
  {
    kind: telemetry,
    // REMOVE takes no value, and UPSERT needs one.
    refused: [...ofTargets, "metrics[].overrides[].tagOverrides{}.operation"],
  },
];
