import { MeshDir } from "../mesh-dir.ts";
import { type GrpcEcho, type GrpcEchoOptions, startGrpcEcho } from "./grpc-echo.ts";

/** The reviews of a shop in two versions, which speak gRPC, and a directory of YAML that tells of them. */
export interface GrpcShop extends AsyncDisposable {
  readonly mesh: MeshDir;
  readonly v1: GrpcEcho;
  readonly v2: GrpcEcho;
}

/** Routes are the test's own; so is how well the first version does. */
export async function openGrpcShop(routes: string, first: GrpcEchoOptions = {}): Promise<GrpcShop> {
  const [v1, v2] = await Promise.all([startGrpcEcho("v1", first), startGrpcEcho("v2")]);
  const mesh = new MeshDir({ "reviews.yaml": reviewsYaml(v1.port, v2.port), "routes.yaml": routes });
  const stop = async () => {
    mesh[Symbol.dispose]();
    await Promise.all([v1.stop(), v2.stop()]);
  };
  return { mesh, v1, v2, [Symbol.asyncDispose]: stop };
}

function reviewsYaml(v1: number, v2: number): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: reviews, namespace: shop}
spec:
  hosts: [reviews.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports:
  - {number: 9080, name: grpc, protocol: GRPC}
  endpoints:
  - {address: 127.0.0.1, ports: {grpc: ${v1}}, labels: {version: v1}}
  - {address: 127.0.0.1, ports: {grpc: ${v2}}, labels: {version: v2}}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews, namespace: shop}
spec:
  host: reviews.shop.svc.cluster.local
  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
`;
}

/** A service in the shop with one workload at a loopback port, found as the resolution says. */
export function grpcServiceYaml(
  name: string,
  port: number,
  { resolution = "STATIC", address = "127.0.0.1" }: { readonly resolution?: string; readonly address?: string } = {},
): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: ${resolution}
  ports:
  - {number: 9080, name: grpc, protocol: GRPC}
  endpoints:
  - {address: ${address}, ports: {grpc: ${port}}}
`;
}

/** A VirtualService of the reviews for the mesh's own clients, with this list of HTTP routes. */
export function reviewsRoutes(http: string): string {
  const indented = http.trimEnd().replaceAll(/^/gm, "  ");
  return `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: reviews, namespace: shop}
spec:
  hosts: [reviews.shop.svc.cluster.local]
  http:
${indented}
`;
}

/** All calls to the reviews, split by version. */
export function reviewsSplit(v1: number, v2: number): string {
  return reviewsRoutes(`- route:
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v1}, weight: ${v1}}
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v2}, weight: ${v2}}`);
}
