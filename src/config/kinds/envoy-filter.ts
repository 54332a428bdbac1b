import { EnvoyFilterSchema } from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import { fieldPath } from "../field-path.ts";
import { errorUnless } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { targetReferences } from "../rules/attachment.ts";
import { emptySelector, selectorLabels } from "../rules/labels.ts";
import { legacyFilter } from "./envoy-filter/legacy-filter.ts";
import { configPatch } from "./envoy-filter/patch.ts";
import { networkingCollection } from "./networking.ts";

/** Does not check patches against Envoy's own messages, because only Pilot knows these. */
export const envoyFilter: Kind<typeof EnvoyFilterSchema> = {
  kind: "EnvoyFilter",
  group: "networking.istio.io",
  versions: ["v1alpha3"],
  plural: "envoyfilters",
  scope: "namespace",
  collection: networkingCollection("envoyfilters"),
  schema: EnvoyFilterSchema,
  validate: ({ spec }) => [
    ...emptySelector(spec.workloadSelector?.labels, "spec.workloadSelector"),
    ...selectorLabels(spec.workloadSelector?.labels ?? {}, "spec.workloadSelector.labels"),
    ...selectorLabels(spec.workloadLabels, "spec.workloadLabels"),
    ...targetReferences(spec.targetRefs),
    ...errorUnless(spec.workloadSelector === undefined || spec.targetRefs.length === 0, "spec", {
      code: "conflicting-fields",
      message: "only one of workloadSelector and targetRefs may be set",
    }),
    ...spec.configPatches.flatMap((patch, index) => configPatch(patch, fieldPath("spec.configPatches", index))),
    ...spec.filters.flatMap((filter, index) => legacyFilter(filter, fieldPath("spec.filters", index))),
  ],
};
