import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { Config } from "../../config/config.ts";
import { type MeshEndpoint, type MeshService, meshServices, syntheticEntries } from "../../config/mesh/mesh-service.ts";
import { serviceTransformer } from "../../galley/processor/transforms/services.ts";
import { TransformerRig } from "./transformer-rig.ts";

/*
 * Kubernetes objects around one service, `shop/reviews`, as YAML, and what is made of them.
 */

export const node = `
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {topology.kubernetes.io/region: eu, topology.kubernetes.io/zone: a}}
`;
export const pod = podNamed("reviews-0", "10.0.0.1");
export const service = `
apiVersion: v1
kind: Service
metadata: {name: reviews, namespace: shop, labels: {app: reviews}}
spec: {clusterIP: 10.9.0.1, selector: {app: reviews}, ports: [{name: http, port: 80, targetPort: 8080}]}
`;
export const endpoints = `
apiVersion: v1
kind: Endpoints
metadata: {name: reviews, namespace: shop}
subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{name: http, port: 8080}]}]
`;
export const slice = sliceNamed(
  "reviews-1",
  `[{addresses: [10.0.0.1], targetRef: {kind: Pod, name: reviews-0, namespace: shop}}]`,
);

export function podNamed(name: string, address: string): string {
  return `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {pod: ${name}}}
spec: {nodeName: node-1, serviceAccountName: ${name}-account}
status: {phase: Running, podIP: ${address}}
`;
}

export function sliceNamed(name: string, listed: string): string {
  return `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}, namespace: shop, labels: {kubernetes.io/service-name: reviews}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints: ${listed}
`;
}

export function serviceWith(spec: string, metadata = ""): string {
  return `
apiVersion: v1
kind: Service
metadata: {name: reviews, namespace: shop${metadata}}
spec: ${spec}
`;
}

/** The objects of these texts, converted. */
export function conversionOf(...texts: readonly string[]): TransformerRig {
  const conversion = new TransformerRig(serviceTransformer("cluster.local"));
  for (const text of texts) conversion.apply(text);
  return conversion;
}

export function meshServiceIn(conversion: TransformerRig): MeshService {
  return (conversion.output(meshServices).get("shop/reviews") as Config<MeshService>).spec;
}

export function endpointsIn(conversion: TransformerRig): readonly MeshEndpoint[] {
  return meshServiceIn(conversion).endpoints ?? [];
}

export function entryIn(conversion: TransformerRig): Config<ServiceEntry> {
  return conversion.output(syntheticEntries).get("shop/reviews") as Config<ServiceEntry>;
}
