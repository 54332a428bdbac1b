import type { Labels } from "../config.ts";
import type { MeshLocality } from "./mesh-service.ts";

/** Labels that say where somebody is. */
export const regionLabel = "topology.kubernetes.io/region";
export const zoneLabel = "topology.kubernetes.io/zone";
export const subzoneLabel = "topology.istio.io/subzone";
export const networkLabel = "topology.istio.io/network";

/** As they were called before Kubernetes 1.17. */
const oldRegionLabel = "failure-domain.beta.kubernetes.io/region";
const oldZoneLabel = "failure-domain.beta.kubernetes.io/zone";
/** Of the whole in one. */
const localityLabels = ["topology.istio.io/locality", "istio-locality"];

/** All that {@link placeIn} and {@link localityIn} look at. */
export const placeLabels: ReadonlySet<string> = new Set([
  regionLabel,
  zoneLabel,
  subzoneLabel,
  oldRegionLabel,
  oldZoneLabel,
  ...localityLabels,
]);

/** What labels of their own say; "" where they say nothing. */
export function placeIn(labels: Labels): MeshLocality {
  return {
    region: labels[regionLabel] ?? labels[oldRegionLabel] ?? "",
    zone: labels[zoneLabel] ?? labels[oldZoneLabel] ?? "",
    subzone: labels[subzoneLabel] ?? "",
  };
}

/** `region/zone/subzone` that a label says in one, with dots where labels allow no slashes; "" when none does. */
export function localityIn(labels: Labels): string {
  const said = localityLabels.map((name) => labels[name]).find((text) => text !== undefined) ?? "";
  return said.includes("/") ? said : said.replaceAll(".", "/");
}
