import { envoyFilter } from "../kinds/envoy-filter.ts";
import type { KindEffects } from "./effect-table.ts";

const unused = { reason: "Istio has never used it" };

/** Fields of EnvoyFilters without effect. */
export const envoyFilterEffects: KindEffects = {
  kind: envoyFilter,
  fields: {
    "workloadLabels{}": {
      reason: "Istio removed it: write workloadSelector",
      instead: ["EnvoyFilter workloadSelector.labels{}"],
    },
    "filters[]": {
      reason: "Istio removed it: write configPatches",
      instead: ["EnvoyFilter configPatches[].patch.value"],
    },
    "configPatches[].match.listener.portName": {
      ...unused,
      instead: ["EnvoyFilter configPatches[].match.listener.portNumber"],
    },
    "configPatches[].match.listener.filterChain.transportSocket": unused,
    "configPatches[].match.waypoint": { reason: "there are no waypoints here" },
    "configPatches[].patch.filterClass": {
      reason: "Istio removed it: the operation says where a filter goes",
      instead: ["EnvoyFilter configPatches[].patch.operation"],
    },
  },
  refused: ["targetRefs[].group", "targetRefs[].kind", "targetRefs[].namespace"],
};
