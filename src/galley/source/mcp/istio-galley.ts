import type { McpCollection } from "../../../mcp/collections.ts";

/** Istio's Galley releases with known collections. */
export const istioGalleys = ["istio-1.3", "istio-1.5"] as const;
export type IstioGalley = (typeof istioGalleys)[number];

const always = [
  /^istio\/(?:authentication|mixer|policy|rbac)\//,
  /^istio\/mesh\/v1alpha1\/MeshConfig$/,
  /^istio\/config\/v1alpha2\/(?:adapters|templates|httpapispecs|httpapispecbindings)$/,
  /^istio\/networking\/v1alpha3\/(?:destinationrules|envoyfilters|gateways|serviceentries|sidecars|virtualservices)$/,
];

const also: Readonly<Record<IstioGalley, RegExp>> = {
  "istio-1.3": /^istio\/config\/v1alpha2\/legacy\//,
  "istio-1.5": /^istio\/security\/v1beta1\//,
};

/** The collections that this Istio Galley lacks. A Galley that dials us ends the stream when asked for any of them. */
export function lackedBy(galley: IstioGalley, collections: readonly McpCollection[]): readonly string[] {
  const served = [...always, also[galley]];
  return collections.map(({ name }) => name).filter((name) => !served.some((pattern) => pattern.test(name)));
}

/** The Istio Galley with this version. Undefined for others, whose collections are unknown. */
export function istioGalleyOf(version: string | undefined): IstioGalley | undefined {
  return istioGalleys.find((galley) => version?.startsWith(`${galley.slice("istio-".length)}.`));
}
