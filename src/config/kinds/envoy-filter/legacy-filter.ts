import {
  type EnvoyFilter_Filter as Filter,
  EnvoyFilter_Filter_FilterType as FilterType,
  EnvoyFilter_InsertPosition_Index as Index,
} from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import { errorUnless, type Finding, warning } from "../../finding.ts";
import { someText } from "../../rules/text.ts";

/** A filter in Istio's form before patches. It is read for peers that still use it. */
export function legacyFilter(filter: Filter, path: string): readonly Finding[] {
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
