import {
  EnvoyFilterSchema,
  type EnvoyFilter_Filter as Filter,
  EnvoyFilter_Filter_FilterType as FilterType,
  EnvoyFilter_InsertPosition_Index as Index,
} from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding, warning } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { targetReferences } from "../rules/attachment.ts";
import { emptySelector, selectorLabels } from "../rules/labels.ts";
import { someText } from "../rules/text.ts";
import { networkingCollection } from "./api-groups.ts";
import { configPatch } from "./envoy-filter/patch.ts";

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

/** A filter in Istio's form before patches. It is read for peers that still use it. */
function legacyFilter(filter: Filter, path: string): readonly Finding[] {
  const { index, relativeTo = "" } = filter.insertPosition ?? {};
  const isRelative = index === Index.BEFORE || index === Index.AFTER;
  return [
    warning(path, {
      code: "removed-field",
      message: "filters were removed from EnvoyFilter and have no effect",
      hint: "write configPatches",
    }),
    ...(isRelative ? someText(relativeTo, `${path}.insertPosition.relativeTo`, "the filter to insert beside") : []),
    ...errorUnless(filter.filterType !== FilterType.INVALID, `${path}.filterType`, {
      code: "missing-value",
      message: "the type of the filter is missing",
    }),
    ...someText(filter.filterName, `${path}.filterName`, "the name of the filter"),
    ...errorUnless(filter.filterConfig !== undefined, `${path}.filterConfig`, {
      code: "missing-value",
      message: "the configuration of the filter is missing",
    }),
  ];
}
