import type { Labels } from "../../../config/config.ts";
import { isLabelKey, isLabelValue } from "../../../config/grammar/names.ts";
import { localityFromOneLabel, localityFromLabels, localityLabels } from "../../../config/mesh/topology-labels.ts";

/** A key that Java serializers leave in metadata. */
const javaClass = "@class";

/** The metadata that are valid Kubernetes labels. Invalid ones are dropped without an issue. */
export function labelsFrom(metadata: Labels): Labels {
  return Object.fromEntries(
    Object.entries(metadata).filter(([key, value]) => key !== javaClass && isLabelKey(key) && isLabelValue(value)),
  );
}

/** The labels without those that {@link localityFrom} uses. */
export function labelsWithoutPlace(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !localityLabels.has(key)));
}

/** `region/zone/subzone` as far as metadata has them. Empty without a region. */
export function localityFrom(metadata: Labels): string {
  const { region, zone, subzone } = localityFromLabels(metadata);
  const parts = (localityFromOneLabel(metadata) || `${region}/${zone}/${subzone}`).split("/");
  const end = parts.indexOf("");
  return parts.slice(0, end === -1 ? 3 : end).join("/");
}
