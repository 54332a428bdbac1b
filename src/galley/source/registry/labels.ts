import { isLabelKey, isLabelValue } from "../../../config/names.ts";

type Labels = Readonly<Record<string, string>>;

/** Where instances say which region they are in; today's names before those of before Kubernetes 1.17. */
const regionLabels = ["topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"];
const zoneLabels = ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"];
const subzoneLabels = ["topology.istio.io/subzone"];
const localityLabel = "istio-locality";
const places = new Set([localityLabel, ...regionLabels, ...zoneLabels, ...subzoneLabels]);

/** What Java's serializers leave in metadata. */
const javaClass = "@class";

/** What of an instance's metadata can be labels by Kubernetes' grammar; the rest is not worth an issue each. */
export function labelsFrom(metadata: Labels): Labels {
  return Object.fromEntries(
    Object.entries(metadata).filter(([key, value]) => key !== javaClass && isLabelKey(key) && isLabelValue(value)),
  );
}

/** The labels without those that {@link localityFrom} has used. */
export function labelsWithoutPlace(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !places.has(key)));
}

/** `region/zone/subzone` as far as metadata tells it; "" without a region. Dots may stand for slashes. */
export function localityFrom(metadata: Labels): string {
  const said = metadata[localityLabel] ?? "";
  const parts = said === "" ? partsFrom(metadata) : said.split(said.includes("/") ? "/" : ".");
  const end = parts.indexOf("");
  return parts.slice(0, end === -1 ? 3 : end).join("/");
}

function partsFrom(metadata: Labels): readonly string[] {
  const first = (names: readonly string[]) => names.map((name) => metadata[name]).find((value) => value !== undefined);
  return [first(regionLabels) ?? "", first(zoneLabels) ?? "", first(subzoneLabels) ?? ""];
}
