import type { View } from "../../collection/collection.ts";
import { Graph } from "../../collection/graph.ts";
import { type Config, configId, configKey } from "../../config/config.ts";
import type { Gateway, Server, ServerTls } from "../../pilot/model/gateway/gateway.ts";
import { defaultMeshSettings, MESH_KEY, type MeshSettings } from "../../pilot/model/mesh-settings.ts";
import type { PeerAuthentication } from "../../pilot/model/mtls/peer-authentication.ts";
import { type Demand, demandOfRule, demandOfService } from "../../pilot/model/place/demand.ts";
import { type NetworkGateway, networkGatewayKey } from "../../pilot/model/place/networks.ts";
import { capturePush, type PushContext } from "../../pilot/model/push-context.ts";
import type { Sidecar } from "../../pilot/model/scope/sidecar.ts";
import { type Endpoint, type Service, type ServiceEndpoints, serviceKey } from "../../pilot/model/service/service.ts";
import type { ServiceInstance } from "../../pilot/model/service/service-instance.ts";
import { type ServicePeers, servicePeersOf } from "../../pilot/model/service/service-peers.ts";
import type { CorsPolicy } from "../../pilot/model/traffic/cors-policy.ts";
import type { DestinationRule, HostRules } from "../../pilot/model/traffic/destination-rule.ts";
import type {
  Forward,
  HttpMatch,
  HttpRoute,
  Mirror,
  VirtualService,
} from "../../pilot/model/traffic/virtual-service.ts";

interface Mesh {
  readonly services?: readonly Service[];
  readonly rules?: readonly DestinationRule[];
  readonly virtualServices?: readonly VirtualService[];
  readonly endpoints?: readonly ServiceEndpoints[];
  readonly gateways?: readonly Gateway[];
  readonly sidecars?: readonly Sidecar[];
  readonly peerAuthentications?: readonly PeerAuthentication[];
  readonly networkGateways?: readonly NetworkGateway[];
  readonly mesh?: Partial<MeshSettings>;
}

/** A push context of model objects, for tests of what is looked up in it. Rules of one host are not merged. */
export function pushOf({
  services = [],
  rules = [],
  virtualServices = [],
  endpoints = [],
  gateways = [],
  sidecars = [],
  peerAuthentications = [],
  networkGateways = [],
  mesh = {},
}: Mesh): PushContext {
  const hostRules = Map.groupBy(rules, ({ namespace, host }) => `${namespace}/${host}`);
  const bound = virtualServices.flatMap((one) => one.gateways.map((gateway) => [gateway, one] as const));
  const byGateway = Map.groupBy(bound, ([gateway]) => gateway);
  return capturePush(
    {
      services: viewOf(services.map((service) => [serviceKey(service), service])),
      endpoints: viewOf(endpoints.map((each) => [serviceKey(each), each])),
      virtualServices: viewOf(virtualServices.map((one) => [configKey(one), one])),
      virtualServicesByGateway: viewOf(Array.from(byGateway, ([key, list]) => [key, list.map(([, one]) => one)])),
      destinationRules: viewOf(rules.map((rule) => [configKey(rule), rule])),
      hostRules: viewOf(Array.from(hostRules, ([key, list]) => [key, hostRulesOf(list)])),
      gateways: viewOf(gateways.map((gateway) => [configKey(gateway), gateway])),
      sidecars: viewOf(sidecars.map((sidecar) => [configKey(sidecar), sidecar])),
      sidecarsByNamespace: viewOf(Map.groupBy(sidecars, ({ namespace }) => namespace)),
      peerAuthentications: viewOf(peerAuthentications.map((policy) => [configKey(policy), policy])),
      peerAuthenticationsByNamespace: viewOf(Map.groupBy(peerAuthentications, ({ namespace }) => namespace)),
      instances: viewOf(instancesOf(endpoints)),
      peers: viewOf(endpoints.map((each): [string, ServicePeers] => [serviceKey(each), servicePeersOf(each)])),
      demands: viewOf(demandsOf(rules, services)),
      networkGateways: viewOf(networkGateways.map((gateway) => [networkGatewayKey(gateway), gateway])),
      mesh: viewOf([[MESH_KEY, { ...defaultMeshSettings, ...mesh }]]),
    },
    1,
  );
}

function instancesOf(endpoints: readonly ServiceEndpoints[]): ReadonlyMap<string, readonly ServiceInstance[]> {
  const instances = endpoints.flatMap((each) =>
    each.endpoints.map((endpoint): ServiceInstance => ({ service: serviceKey(each), endpoint })),
  );
  return Map.groupBy(instances, ({ endpoint }) => endpoint.address);
}

function demandsOf(
  rules: readonly DestinationRule[],
  services: readonly Service[],
): readonly (readonly [string, Demand])[] {
  const demands = [...rules.map(demandOfRule), ...services.map(demandOfService)];
  return demands.flatMap((demand) => (demand === undefined ? [] : [[JSON.stringify(demand), demand]]));
}

function hostRulesOf(rules: readonly DestinationRule[]): HostRules {
  return { namespace: rules[0]?.namespace ?? "", host: rules[0]?.host ?? "", rules };
}

/** A view of exactly these entries. */
export function viewOf<T>(entries: Iterable<readonly [key: string, value: T]>): View<T> {
  const input = new Graph().input<T>("view");
  input.replaceAll(entries);
  return input.snapshot();
}

export function fakeService(changes: Partial<Service> = {}): Service {
  return {
    hostname: "cart.shop",
    namespace: "shop",
    registry: "External",
    ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 80 }],
    addresses: [],
    resolution: "static",
    meshExternal: false,
    subjectAltNames: [],
    racesAddresses: false,
    aliases: [],
    trafficDistribution: "any",
    nodeLocal: false,
    exportTo: ["*"],
    labels: {},
    createdAt: 0,
    owner: configId("ServiceEntry", "shop", "cart"),
    ...changes,
  };
}

export function fakeEndpoint(changes: Partial<Endpoint> = {}): Endpoint {
  return {
    address: "10.0.0.5",
    port: 80,
    servicePortName: "http",
    labels: {},
    locality: "",
    network: "",
    weight: 0,
    serviceAccount: "",
    tlsMode: "disabled",
    workloadName: "",
    namespace: "",
    clusterId: "c1",
    node: "",
    ...changes,
  };
}

export function fakeSidecar(changes: Partial<Sidecar> = {}): Sidecar {
  const { namespace = "shop", name = "default" } = changes;
  return {
    name,
    namespace,
    createdAt: 0,
    owner: configId("Sidecar", namespace, name),
    selector: undefined,
    egress: [],
    ingress: [],
    outboundPolicy: undefined,
    inboundConnectionPool: undefined,
    ...changes,
  };
}

export function fakePeerAuthentication(changes: Partial<PeerAuthentication> = {}): PeerAuthentication {
  const { namespace = "shop", name = "default" } = changes;
  return {
    name,
    namespace,
    createdAt: 0,
    owner: configId("PeerAuthentication", namespace, name),
    selector: undefined,
    mode: "strict",
    ports: new Map(),
    ...changes,
  };
}

export function fakeRule(changes: Partial<DestinationRule> = {}): DestinationRule {
  const { namespace = "shop", name = "cart" } = changes;
  return {
    name,
    namespace,
    createdAt: 0,
    host: "cart.shop",
    exportTo: ["*"],
    selector: undefined,
    trafficPolicy: undefined,
    subsets: [],
    owners: [configId("DestinationRule", namespace, name)],
    ...changes,
  };
}

export function fakeVirtualService(changes: Partial<VirtualService> = {}): VirtualService {
  const { namespace = "shop", name = "cart" } = changes;
  return {
    name,
    namespace,
    createdAt: 0,
    owner: configId("VirtualService", namespace, name),
    delegates: [],
    missingDelegates: [],
    hosts: ["shop.example.com"],
    gateways: ["edge/edge"],
    exportTo: ["*"],
    http: [],
    tls: [],
    tcp: [],
    ...changes,
  };
}

const noChanges = { set: [], add: [], remove: [] };
const noOperations = { request: noChanges, response: noChanges };

/** A route that sends every request to one host. */
export function forwardTo(hostname: string, port?: number, changes: Partial<Forward> = {}): HttpRoute {
  return {
    name: "",
    matches: [],
    headers: noOperations,
    fault: undefined,
    cors: undefined,
    action: {
      type: "forward",
      destinations: [{ hostname, subset: "", port, weight: 0, headers: noOperations }],
      mirrors: [],
      rewrite: { path: { type: "none" }, authority: "" },
      timeout: undefined,
      retries: undefined,
      ...changes,
    },
  };
}

/** A match of every request, from everywhere. */
export function fakeMatch(changes: Partial<HttpMatch> = {}): HttpMatch {
  return {
    port: 0,
    gateways: [],
    sourceLabels: {},
    sourceNamespace: "",
    name: "",
    statPrefix: "",
    uri: { type: "present" },
    ignoreUriCase: false,
    method: undefined,
    authority: undefined,
    scheme: undefined,
    headers: [],
    withoutHeaders: [],
    queryParams: [],
    ...changes,
  };
}

/** A CORS policy that allows nothing beyond what is always allowed. */
export function fakeCorsPolicy(changes: Partial<CorsPolicy> = {}): CorsPolicy {
  return {
    origins: [],
    methods: [],
    headers: [],
    exposedHeaders: [],
    maxAgeSeconds: undefined,
    credentials: undefined,
    forwardsUnmatched: true,
    ...changes,
  };
}

/** A mirror of every request. */
export function mirrorTo(hostname: string, port?: number): Mirror {
  return { hostname, subset: "", port, fraction: { numerator: 100, denominator: 100 } };
}

export function fakeGateway(changes: Partial<Gateway> = {}): Gateway {
  const { namespace = "edge", name = "edge" } = changes;
  return {
    name,
    namespace,
    createdAt: 0,
    owner: configId("Gateway", namespace, name),
    selector: { app: "edge" },
    servers: [fakeServer()],
    ...changes,
  };
}

export function fakeServer(changes: Partial<Server> = {}): Server {
  return {
    name: "",
    port: 8080,
    portName: "http",
    protocol: "HTTP",
    bind: "",
    hosts: [{ namespace: "*", hostname: "*" }],
    tls: undefined,
    ...changes,
  };
}

export function fakeServerTls(changes: Partial<ServerTls> = {}): ServerTls {
  return {
    httpsRedirect: false,
    mode: "simple",
    credentialNames: [],
    caCredentialName: "",
    certificates: [{ certificateChain: "/certs/server.crt", privateKey: "/certs/server.key" }],
    caCertificates: "",
    caCrl: "",
    subjectAltNames: [],
    verifySpki: [],
    verifyHash: [],
    insecureSkipVerify: false,
    minVersion: "auto",
    maxVersion: "auto",
    cipherSuites: [],
    ...changes,
  };
}

/** An object of a user, with a version that follows from its content. */
export function configOf<S>(kind: string, name: string, spec: S, changes: Partial<Config<S>> = {}): Config<S> {
  return {
    kind,
    apiVersion: "networking.istio.io/v1",
    namespace: "shop",
    name,
    labels: {},
    annotations: {},
    createdAt: 0,
    version: JSON.stringify(spec),
    origin: { source: "test", reference: "test.yaml:1", locate: () => undefined },
    spec,
    ...changes,
  };
}
