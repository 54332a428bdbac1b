import { configId } from "../../config/config.ts";
import type { DestinationRule } from "../../pilot/model/traffic/destination-rule.ts";
import type {
  CorsPolicy,
  Forward,
  HttpMatch,
  HttpRoute,
  Mirror,
  VirtualService,
} from "../../pilot/model/traffic/virtual-service.ts";

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
