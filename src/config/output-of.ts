import type { Kind } from "./kind.ts";

const istioKind = /^k8s\/(?<group>[^/]+)\.istio\.io\/(?<rest>.+)$/;

/**
 * The output collection of a kind, if Galley publishes it: `k8s/networking.istio.io/v1alpha3/gateways` becomes
 * `istio/networking/v1alpha3/gateways`. Istio's names stay.
 */
export function outputOf({ collection, output: declared }: Kind): string | undefined {
  const output = declared ?? collection.replace(istioKind, "istio/$<group>/$<rest>");
  return declared !== undefined || output.startsWith("istio/") ? output : undefined;
}
