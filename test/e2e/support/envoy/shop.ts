import { freePort } from "../free-port.ts";
import { MeshDir } from "../mesh-dir.ts";
import { serviceYaml } from "../yaml.ts";
import { type Echo, startEcho } from "./echo.ts";

/** Workloads, a port for the gateway, and a directory of YAML that connects the two. */
export interface Shop extends AsyncDisposable {
  readonly port: number;
  readonly mesh: MeshDir;
  readonly workloads: Readonly<Record<"v1" | "v2" | "ratings", Echo>>;
}

/** A small shop behind a gateway: reviews in two versions, and ratings. Routes are the test's own. */
export async function openShop(routes: string): Promise<Shop> {
  const [v1, v2, ratings] = await Promise.all(["v1", "v2", "ratings"].map((name) => startEcho(name)));
  if (v1 === undefined || v2 === undefined || ratings === undefined) throw new Error("three names, three servers");
  const port = await freePort();
  const versions = [v1, v2].map((echo) => ({ port: echo.port, labels: { version: echo.name } }));
  const mesh = new MeshDir({
    "gateway.yaml": gatewayYaml(port, "shop.example.com"),
    "reviews.yaml": serviceYaml({ name: "reviews", port: 9080, endpoints: versions }),
    "rule.yaml": reviewsRule(),
    "ratings.yaml": serviceYaml({ name: "ratings", port: 9080, endpoints: [{ port: ratings.port }] }),
    "routes.yaml": routes,
  });
  const stop = async () => {
    mesh[Symbol.dispose]();
    await Promise.all([v1, v2, ratings].map((echo) => echo.stop()));
  };
  return { port, mesh, workloads: { v1, v2, ratings }, [Symbol.asyncDispose]: stop };
}

/** A gateway on loopback for these hosts. */
export function gatewayYaml(port: number, hosts: string): string {
  return `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: public, namespace: istio-system}
spec:
  selector: {app: gw}
  servers:
  - port: {number: ${port}, name: http, protocol: HTTP}
    bind: 127.0.0.1
    hosts: ["${hosts}"]
`;
}

/** The rule of the reviews' versions; a connect timeout changes the clusters and nothing else. */
export function reviewsRule({ connectTimeout = "3s" }: { readonly connectTimeout?: string } = {}): string {
  return `apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews, namespace: shop}
spec:
  host: reviews.shop.svc.cluster.local
  trafficPolicy: {connectionPool: {tcp: {connectTimeout: ${connectTimeout}}}}
  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
`;
}

/** A VirtualService of the shop's host, with this list of HTTP routes. */
export function routesYaml(http: string): string {
  const indented = http.trimEnd().replaceAll(/^/gm, "  ");
  return `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: shop, namespace: shop}
spec:
  hosts: [shop.example.com]
  gateways: [istio-system/public]
  http:
${indented}
`;
}

/** All traffic to the reviews, split by version. */
export function splitYaml(v1: number, v2: number): string {
  return routesYaml(`- route:
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v1}, weight: ${v1}}
  - {destination: {host: reviews.shop.svc.cluster.local, subset: v2}, weight: ${v2}}`);
}
