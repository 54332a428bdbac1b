import { fleetMembers } from "../../../../src/cli/nodes/fleet-members.ts";
import type { FleetMember } from "../../../../src/fleet/connected-proxy.ts";

/** The namespaces of teams. Each has its own file, so that reading one again costs little. */
const teams: readonly string[] = Array.from({ length: 50 }, (_, index) => `team-${pad(index)}`);

const servicesPerTeam = 80;
const routedPerTeam = 60;
const ruledPerTeam = 54;
const sharedServices = 20;
const gatewayHosts = 39;

/** The number of objects in {@link largeMesh}. */
export const largeMeshObjects =
  teams.length * (servicesPerTeam + routedPerTeam + ruledPerTeam + 4) + sharedServices * 3 + gatewayHosts + 1;

/**
 * A mesh as a company has it: 50 teams with 80 services each, whose sidecars see their own namespace, the 20 services of
 * `shared` and those that a test adds in `shop`, and a gateway. An edit in `shared` or `shop` concerns every sidecar.
 */
export function largeMesh(): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(teams.map((team, index) => [`${team}.yaml`, documents(teamObjects(team, index))])),
    "shared.yaml": documents(
      range(sharedServices).flatMap((index) => [service("shared", index, 99), rule("shared", index)]),
    ),
    "shared-routes.yaml": documents(
      range(sharedServices)
        .slice(1)
        .map((index) => route("shared", index, 90)),
    ),
    "edited-route.yaml": editedRoute(90),
    "gateway.yaml": documents([gateway, ...range(gatewayHosts).map(gatewayRoute)]),
  };
}

/** The object that edits change: a VirtualService that every sidecar sees. */
export function editedRoute(weight: number): string {
  return `${JSON.stringify(route("shared", 0, weight), undefined, 2)}\n`;
}

/** The hostname that {@link editedRoute} routes. */
export const editedHost = hostOf("shared", 0);

/** Sidecars of all teams in both protocols, and a few gateways. */
export function largeFleet(proxies: number): readonly FleetMember[] {
  return fleetMembers({
    proxies,
    shares: { routers: 0.01, grpc: 0, delta: 0.5, slow: 0, nack: 0, reconnect: 0 },
    namespaces: teams,
    routerLabels: { app: "gw" },
    targets: [],
    reconnectEveryMs: 1000,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
}

function teamObjects(team: string, place: number): readonly object[] {
  return [
    ...range(servicesPerTeam).map((index) => service(team, index, place)),
    ...range(routedPerTeam).map((index) => route(team, index, 90)),
    ...range(ruledPerTeam).map((index) => rule(team, index)),
    object("networking.istio.io/v1", "Sidecar", team, "default", {
      egress: [{ hosts: ["./*", "shared/*", "shop/*"] }],
    }),
    object("security.istio.io/v1", "PeerAuthentication", team, "default", { mtls: { mode: "STRICT" } }),
    object("security.istio.io/v1", "AuthorizationPolicy", team, "own-namespace", {
      rules: [{ from: [{ source: { namespaces: [team, "istio-system"] } }] }],
    }),
    object("telemetry.istio.io/v1", "Telemetry", team, "default", { accessLogging: [{ disabled: place % 2 === 0 }] }),
  ];
}

function service(namespace: string, index: number, place: number): object {
  const endpoints = ["v1", "v2"].map((version, side) => ({
    address: `10.${100 + side}.${place}.${index + 1}`,
    labels: { version },
  }));
  return object("networking.istio.io/v1", "ServiceEntry", namespace, `service-${pad(index)}`, {
    hosts: [hostOf(namespace, index)],
    addresses: [`10.96.${place}.${index + 1}`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints,
  });
}

function route(namespace: string, index: number, weight: number): object {
  const to = (subset: string) => ({ host: hostOf(namespace, index), subset });
  const split = [
    { destination: to("v1"), weight },
    { destination: to("v2"), weight: 100 - weight },
  ];
  // The others have no subsets.
  const whole = [{ destination: { host: hostOf(namespace, index) } }];
  const isRuled = namespace === "shared" || index < ruledPerTeam;
  return object("networking.istio.io/v1", "VirtualService", namespace, `service-${pad(index)}`, {
    hosts: [hostOf(namespace, index)],
    http: [{ name: "all", route: isRuled ? split : whole }],
  });
}

function rule(namespace: string, index: number): object {
  return object("networking.istio.io/v1", "DestinationRule", namespace, `service-${pad(index)}`, {
    host: hostOf(namespace, index),
    subsets: ["v1", "v2"].map((version) => ({ name: version, labels: { version } })),
  });
}

const gateway = object("networking.istio.io/v1", "Gateway", "istio-system", "public", {
  selector: { app: "gw" },
  servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*.example.com"] }],
});

function gatewayRoute(index: number): object {
  const host = hostOf("shared", index % sharedServices);
  return object("networking.istio.io/v1", "VirtualService", "istio-system", `public-${pad(index)}`, {
    hosts: [`shop-${pad(index)}.example.com`],
    gateways: ["public"],
    http: [{ route: [{ destination: { host } }] }],
  });
}

function hostOf(namespace: string, index: number): string {
  return `service-${pad(index)}.${namespace}.svc.cluster.local`;
}

function object(apiVersion: string, kind: string, namespace: string, name: string, spec: object): object {
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

function documents(objects: readonly object[]): string {
  return objects.map((each) => JSON.stringify(each)).join("\n---\n");
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}

function pad(index: number): string {
  return String(index).padStart(2, "0");
}
