import type { Labels } from "../config.ts";
import type { MeshLocality } from "./mesh-service.ts";

/** Labels with the location of a workload. */
export const regionLabel = "topology.kubernetes.io/region";
export const zoneLabel = "topology.kubernetes.io/zone";
export const subzoneLabel = "topology.istio.io/subzone";
export const networkLabel = "topology.istio.io/network";

/** The label names before Kubernetes 1.17. */
const oldRegionLabel = "failure-domain.beta.kubernetes.io/region";
const oldZoneLabel = "failure-domain.beta.kubernetes.io/zone";
/** Labels with the whole locality. */
const wholeLocalityLabels = ["topology.istio.io/locality", "istio-locality"];

/** All labels that {@link localityFromLabels} and {@link localityFromOneLabel} read. */
export const localityLabels: ReadonlySet<string> = new Set([
  regionLabel,
  zoneLabel,
  subzoneLabel,
  oldRegionLabel,
  oldZoneLabel,
  ...wholeLocalityLabels,
]);

/** The locality from separate labels; "" for missing ones. */
export function localityFromLabels(labels: Labels): MeshLocality {
  return {
    region: labels[regionLabel] ?? labels[oldRegionLabel] ?? "",
    zone: labels[zoneLabel] ?? labels[oldZoneLabel] ?? "",
    subzone: labels[subzoneLabel] ?? "",
  };
}

/**
 * The locality `region/zone/subzone` from one label, with dots where labels allow no slashes; "" without such a label.
 */
export function localityFromOneLabel(labels: Labels): string {
  const said = wholeLocalityLabels.map((name) => labels[name]).find((text) => text !== undefined) ?? "";
  return said.includes("/") ? said : said.replaceAll(".", "/");
}
