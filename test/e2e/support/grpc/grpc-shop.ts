import { MeshDir } from "../mesh-dir.ts";
import { objectYaml, serviceYaml } from "../yaml.ts";
import { type GrpcEcho, startGrpcEcho } from "./grpc-echo.ts";

/** The reviews of a shop in two versions, which speak gRPC, and a directory of YAML that tells of them. */
export interface GrpcShop extends AsyncDisposable {
  readonly mesh: MeshDir;
  readonly v1: GrpcEcho;
  readonly v2: GrpcEcho;
}

/** Routes are the test's own. */
export async function openGrpcShop(routes: string): Promise<GrpcShop> {
  const [v1, v2] = await Promise.all([startGrpcEcho("v1"), startGrpcEcho("v2")]);
  const mesh = new MeshDir({ "reviews.yaml": versionsYaml("reviews", [v1, v2]), "routes.yaml": routes });
  const stop = async () => {
    mesh[Symbol.dispose]();
    await Promise.all([v1.stop(), v2.stop()]);
  };
  return { mesh, v1, v2, [Symbol.asyncDispose]: stop };
}

export function grpcHost(name: string): string {
  return `${name}.shop.svc.cluster.local`;
}

/** A service of the shop whose versions have the names of its workloads. */
export function versionsYaml(name: string, workloads: readonly GrpcEcho[]): string {
  const endpoints = workloads.map((echo) => ({ port: echo.port, labels: { version: echo.name } }));
  const subsets = workloads.map((echo) => ({ name: echo.name, labels: { version: echo.name } }));
  const service = serviceYaml({ name, port: 9080, protocol: "GRPC", endpoints });
  return `${service}---\n${objectYaml("DestinationRule", name, { host: grpcHost(name), subsets })}`;
}

/** Where calls to a service of the shop go: its HTTP routes. */
export function grpcRoutes(name: string, ...http: readonly object[]): string {
  return objectYaml("VirtualService", name, { hosts: [grpcHost(name)], http });
}

/** A route to versions of a service, by their weights. */
export function toVersions(name: string, weights: Readonly<Record<string, number>>): object {
  const destination = (subset: string) => ({ host: grpcHost(name), subset });
  return { route: Object.entries(weights).map(([subset, weight]) => ({ destination: destination(subset), weight })) };
}

/** All calls to the reviews, split by version. */
export function reviewsSplit(v1: number, v2: number): string {
  return grpcRoutes("reviews", toVersions("reviews", { v1, v2 }));
}
