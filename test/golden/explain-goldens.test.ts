import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescMessage, fromJson, type JsonValue, type MessageShape, type Registry } from "@bufbuild/protobuf";
import { beforeAll, expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { explain, type ProxyConfig } from "../../src/explain/explain.ts";
import type { RequestOutcome } from "../../src/explain/explanation.ts";
import { renderExplanation } from "../../src/explain/render-explanation.ts";
import type { SimulatedRequest } from "../../src/explain/simulated-request.ts";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
import { loadRegistry } from "./registry.ts";

let registry: Registry;

/** The configuration that istiod sent to a proxy. */
function recorded(name: string): ProxyConfig {
  const [scenario = "", node = ""] = name.split(" ");
  const read = <Desc extends DescMessage>(type: string, schema: Desc): MessageShape<Desc>[] => {
    const text = readFileSync(join(istiodGoldens, scenario, "expect", node, `${type}.json`), "utf8");
    const { resources } = JSON.parse(text) as { readonly resources: readonly { readonly body: JsonValue }[] };
    return resources.map(({ body }) => fromJson(schema, body, { registry }));
  };
  return {
    listeners: read("LDS", ListenerSchema),
    routes: read("RDS", RouteConfigurationSchema),
    clusters: read("CDS", ClusterSchema),
    endpoints: read("EDS", ClusterLoadAssignmentSchema),
  };
}

function requestFor(changes: Partial<SimulatedRequest>): SimulatedRequest {
  return { host: "", port: 80, path: "/", method: "GET", headers: {}, ...changes };
}

/** The outcome in a few words: the cluster, or the clusters with their shares, or an answer of the proxy. */
function inShort(outcome: RequestOutcome): string {
  if (outcome.type === "redirect") return `${outcome.status} ${outcome.location}`;
  if (outcome.type === "response") return `${outcome.status} ${outcome.body}`.trimEnd();
  if (outcome.type !== "forwarded") return "status" in outcome ? `refused ${outcome.status}` : outcome.type;
  const targets = outcome.targets.map(({ cluster, share }) => (share === 1 ? cluster : `${share} ${cluster}`));
  return targets.join(", ");
}

const reviews = "reviews.shop.svc.cluster.local";
const ratings = "ratings.shop.svc.cluster.local";
const frontend = "frontend.web.svc.cluster.local";

/** By scenario and node: requests, and their outcomes in short. */
type Table = Readonly<Record<string, readonly (readonly [request: Partial<SimulatedRequest>, expected: string])[]>>;

/** Requests of sidecars, of which one is in namespace `web` and the other in `shop`. */
const outbound: Table = {
  "02-http-static sidecar-client": [
    [{ host: reviews, port: 9080 }, `outbound|9080||${reviews}`],
    [{ host: "10.20.1.1:9080", port: 9080 }, `outbound|9080||${reviews}`],
    [{ host: "reviews", port: 9080 }, "PassthroughCluster"],
    [{ host: "reviews.shop", port: 9080, protocol: "tls" }, "PassthroughCluster"],
    [{ host: "reviews.shop", port: 9080, protocol: "http2" }, `outbound|9080||${reviews}`],
    [{ host: "elsewhere.example.com", port: 1234 }, "PassthroughCluster"],
    [{ host: "x", port: 15001 }, "refused"],
  ],
  "02-http-static sidecar-reviews": [[{ host: "reviews", port: 9080 }, `outbound|9080||${reviews}`]],
  "03-tcp-vip sidecar-client": [
    [tcp("orders-db.data", 5432), "outbound|5432||orders-db.data.svc.cluster.local"],
    [tcp("10.20.3.2", 5432), "outbound|5432||billing-db.data.svc.cluster.local"],
    [tcp("192.168.40.7", 5432), "outbound|5432||legacy.corp.example.com"],
    [tcp("192.168.41.7", 5432), "PassthroughCluster"],
    [tcp("queue.data", 5672), "outbound|5672||queue.data.svc.cluster.local"],
    [tcp("10.20.3.4", 3306), "outbound|3306||catalog.data.svc.cluster.local"],
    [tcp("10.20.3.5", 3306), "PassthroughCluster"],
  ],
  "04-dns sidecar-client": [
    [{ host: "api.payments.example.com" }, "outbound|80||api.payments.example.com"],
    [tls("api.payments.example.com", 443), "outbound|443||api.payments.example.com"],
    [tls("other.example.com", 443), "PassthroughCluster"],
    [tls("search.example.org", 443), "outbound|443||search.example.org"],
    [tcp("mail.example.net", 587), "outbound|587||mail.example.net"],
    [{ host: "img.cdn.example.com" }, "outbound|80||*.cdn.example.com"],
  ],
  "05-subsets sidecar-client": [[{ host: "ratings.shop", port: 9090 }, `outbound|9090||${ratings}`]],
  "06-weighted sidecar-reviews": [
    [{ host: "reviews", port: 9080 }, `0.8 outbound|9080|v1|${reviews}, 0.2 outbound|9080|v2|${reviews}`],
  ],
  "06-weighted sidecar-client": [
    [
      { host: "frontend" },
      `0.6 outbound|80||${frontend}, 0.25 outbound|9080||${ratings}, 0.15 outbound|80|v3|${reviews}`,
    ],
  ],
  "07-uri-match sidecar-client": [
    [shop("/login"), `outbound|80||${frontend}`],
    [shop("/api/v1/x"), `outbound|9080||${ratings}`],
    [shop("/api/v2x"), `outbound|9080||${ratings}`],
    [shop("/API/v1/x"), `outbound|80||${frontend}`],
    [shop("/item/7"), "refused 503"],
    [shop("/item/x"), `outbound|80||${frontend}`],
    [shop("/old"), "308 http://www.shop.example.com/new"],
    [shop("/secure/x"), "301 https://frontend:8443/secure/x"],
    [shop("/keep"), "307 https://frontend:80/keep"],
    [shop("/healthz"), "204"],
    [shop("/maintenance"), "503 back soon"],
    [shop("/late"), `outbound|80||${frontend}`],
  ],
  "08-header-match sidecar-client": [
    [matched({ "end-user": "jason", "x-group": "beta-1" }), `outbound|9080|v2|${reviews}`],
    [matched({ "end-user": "jason", "x-group": "gamma" }), `outbound|9080|v1|${reviews}`],
    [matched({ "user-agent": "Firefox/1", "x-debug": "" }), `outbound|9080|v3|${reviews}`],
    [matched({ "user-agent": "Firefox/1", "x-debug": "", "x-bot": "true" }), `outbound|9080|v1|${reviews}`],
    [matched({ "user-agent": "Firefox/1", "x-debug": "", "x-internal": "" }), `outbound|9080|v1|${reviews}`],
    [{ ...matched({}), path: "/?version=3&lang=de-AT&mode=b" }, `outbound|9080|v3|${reviews}`],
    [{ ...matched({}), path: "/?version=3&lang=de-AT&mode=c" }, `outbound|9080|v1|${reviews}`],
    [{ ...matched({}), path: "/reviews?preview" }, `outbound|9080|v3|${reviews}`],
  ],
  "09-resilience sidecar-client": [[{ host: "ratings.shop", port: 9080, path: "/slow" }, `outbound|9080||${ratings}`]],
  "13-sidecar-egress sidecar-client": [
    [{ host: "reviews.shop", port: 9080 }, `outbound|9080||${reviews}`],
    [{ host: "ratings.shop", port: 9080 }, "PassthroughCluster"],
    [{ host: "ratings.shop", port: 9090 }, "PassthroughCluster"],
  ],
  "13-sidecar-egress sidecar-reviews": [
    [{ host: "audit.ops", port: 7000 }, "outbound|7000||audit.ops.svc.cluster.local"],
    [tcp("audit.ops", 7001), "outbound|7001||audit.ops.svc.cluster.local"],
    [{ host: "ratings", port: 9080 }, "PassthroughCluster"],
    [{ host: "ratings", port: 9080, address: "127.0.0.1" }, `outbound|9080||${ratings}`],
  ],
  "16-peer-authentication sidecar-client": [
    [{ host: "shipping.shop", port: 9555 }, "outbound|9555||shipping.shop.svc.cluster.local"],
    [tcp("shipping.shop", 9555), "outbound|9555||shipping.shop.svc.cluster.local"],
  ],
  "k2-headless sidecar-client": [
    [{ host: "store-0.store.shop", port: 8080 }, "outbound|8080||store.shop.svc.cluster.local"],
    [{ host: "store.shop", port: 7001 }, "outbound|7001||store.shop.svc.cluster.local"],
  ],
};

/** Requests to the workloads of sidecars. `istio-…` protocols are those of the mesh's own mTLS. */
const inbound: Table = {
  "02-http-static sidecar-reviews": [
    [{ port: 9080 }, "inbound|9080||"],
    [{ port: 9080, protocol: "tls", alpn: ["istio-h2"] }, "inbound|9080||"],
    [{ port: 9080, protocol: "tls", alpn: ["h2"] }, "refused"],
    [{ port: 1234 }, "InboundPassthroughCluster"],
    [{ port: 1234, protocol: "tls" }, "InboundPassthroughCluster"],
    [{ port: 15006 }, "refused"],
  ],
  "03-tcp-vip sidecar-db": [
    [{ port: 5432, protocol: "tcp" }, "inbound|5432||"],
    [{ port: 5432, protocol: "tls" }, "inbound|5432||"],
  ],
  "16-peer-authentication sidecar-reviews": [
    [{ port: 9080 }, "refused"],
    [{ port: 9080, protocol: "tls" }, "refused"],
    [{ port: 9080, protocol: "tls", alpn: ["istio"] }, "inbound|9080||"],
    [{ port: 9443, protocol: "tls" }, "inbound|9443||"],
    [{ port: 9443, protocol: "tcp" }, "inbound|9443||"],
    [{ port: 9999 }, "InboundPassthroughCluster"],
    [{ port: 1234 }, "refused"],
  ],
  "16-peer-authentication sidecar-client": [[{ port: 1234 }, "InboundPassthroughCluster"]],
};

/** Requests from outside to the ingress gateway. */
const gateway: Table = {
  "10-gateway-http router-ingress": [
    [edge("shop.example.com", "/reviews/1"), `outbound|9080||${reviews}`],
    [edge("shop.example.com", "/internal"), `outbound|80||${frontend}`],
    [edge("b.web.example.com", "/"), `outbound|80||${frontend}`],
    [edge("c.web.example.com", "/"), "refused 404"],
    [edge("elsewhere.example.net", "/"), "refused 404"],
    [{ host: "secure.example.com:80", port: 8081, path: "/a" }, "301 https://secure.example.com/a"],
    [{ host: "shop.example.com", port: 9999 }, "refused"],
  ],
  "11-gateway-tls router-ingress": [
    [tls("shop.example.com", 8443), `outbound|9080||${reviews}`],
    [{ host: "shop.example.com", port: 8443 }, "refused"],
    [tls("a.files.example.com", 8443), "refused"],
    [tls("pass.example.com", 9443), `outbound|80||${frontend}`],
    [tls("deep.pass.example.com", 9443), `0.7 outbound|80||${frontend}, 0.3 outbound|9080||${ratings}`],
    [tls("other.pass.example.com", 9443), "refused"],
    [tls("db.example.com", 9444), `outbound|9090||${ratings}`],
    [tcp("anything", 9000), `outbound|80||${frontend}`],
  ],
  "k4-ingress router-ingress": [
    [edge("shop.example.com", "/reviews/1"), `outbound|9080||${reviews}`],
    [edge("shop.example.com", "/reviewsx"), "refused 404"],
    [edge("other.example.com", "/any"), "refused 503"],
  ],
};

function rowsOf(table: Table) {
  return Object.entries(table).flatMap(([node, rows]) => rows.map((row) => [node, ...row] as const));
}

function tcp(host: string, port: number): Partial<SimulatedRequest> {
  return { host, port, protocol: "tcp" };
}

function tls(host: string, port: number): Partial<SimulatedRequest> {
  return { host, port, protocol: "tls" };
}

function shop(path: string): Partial<SimulatedRequest> {
  return { host: "frontend", path };
}

function matched(headers: Readonly<Record<string, string>>): Partial<SimulatedRequest> {
  return { host: "reviews.shop", port: 9080, headers };
}

function edge(host: string, path: string): Partial<SimulatedRequest> {
  return { host, port: 8080, path, direction: "gateway" };
}

/**
 * Each domain of the routes of a port, and a request for it, at the address of the listener. The requests come from an
 * address that no recorded policy denies.
 */
function* domainsOf({ routes, listeners }: ProxyConfig) {
  const sourceAddress = "192.0.2.1";
  for (const { name, virtualHosts } of routes) {
    const port = Number(name.replace("http.", ""));
    if (Number.isNaN(port)) continue;
    const local = listeners.some((listener) => listener.name === `127.0.0.1_${port}`) ? { address: "127.0.0.1" } : {};
    for (const host of virtualHosts) {
      for (const domain of host.domains.filter((text) => !text.includes("*"))) {
        yield { host: host.name, domain, request: requestFor({ host: domain, port, sourceAddress, ...local }) };
      }
    }
  }
}

describeWithData(istiodGoldens, "in the configuration of istiod 1.29.6", () => {
  beforeAll(async () => {
    registry = await loadRegistry();
  });

  test.each(rowsOf(outbound))("%s: %o leaves for %s", (node, request, expected) => {
    expect(inShort(explain(recorded(node), requestFor(request)).outcome)).toBe(expected);
  });

  test.each(rowsOf(inbound))("%s: %o arrives at %s", (node, request, expected) => {
    const { outcome } = explain(recorded(node), requestFor({ ...request, direction: "inbound" }));
    expect(inShort(outcome)).toBe(expected);
  });

  test.each(rowsOf(gateway))("%s: %o goes on to %s", (node, request, expected) => {
    expect(inShort(explain(recorded(node), requestFor(request)).outcome)).toBe(expected);
  });

  test("endpoints are shown with their TLS: mutual TLS in the mesh, plaintext outside", () => {
    const config = recorded("16-peer-authentication sidecar-client");
    const transports = ["reviews.shop", "frontend"].map((host) => {
      const { steps } = explain(config, requestFor({ host, port: host === "frontend" ? 80 : 9080 }));
      const endpoints = steps.flatMap((step) => (step.type === "cluster" ? step.endpoints : []));
      return [...new Set(endpoints.map(({ transport }) => transport))];
    });
    expect(transports).toEqual([["mutual TLS"], ["plaintext"]]);
  });

  test("other effects of a route are shown, with the object behind them", () => {
    const config = recorded("09-resilience sidecar-client");
    const request = requestFor({ host: "ratings.shop", port: 9080, path: "/slow" });
    expect(explain(config, request).steps.find(({ type }) => type === "route")).toEqual({
      type: "route",
      name: "patient",
      why: "path starts with /slow",
      notes: ["timeout 90s", "up to 5 retries on 5xx, reset, retriable-status-codes (503, 429), 2s for each try"],
      passedOver: ["delayed", "aborted", "both"].map((name) => ({ name, why: "header x-chaos is missing" })),
      owners: ["VirtualService/shop/ratings"],
    });
  });

  test("a request finds every domain of every proxy, and its explanation fits 80 columns", () => {
    const nodes = globSync("*/expect/*/LDS.json", { cwd: istiodGoldens }).map((path) => path.split("/"));
    const judged = nodes.flatMap(([scenario, , node]) => {
      const config = recorded(`${scenario} ${node}`);
      return [...domainsOf(config)].map(({ host, domain, request }) => {
        const explanation = explain(config, request);
        const lines = renderExplanation(explanation, () => undefined).split("\n");
        const found = explanation.steps.find(({ type }) => type === "virtual host")?.name;
        return { scenario, node, domain, right: found === host && lines.every(({ length }) => length <= 80) };
      });
    });
    expect(judged.length).toBeGreaterThan(100);
    expect(judged.filter(({ right }) => !right)).toEqual([]);
  });
});
