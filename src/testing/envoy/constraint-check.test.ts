import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { envoyTypes } from "../../admin/resource/envoy-types.ts";
import { assert } from "../../lib/assert.ts";
import { ConstraintCheck } from "./constraint-check.ts";

function check(
  type: string,
  json: JsonValue,
): { readonly broken: readonly string[]; readonly filled: readonly string[] } {
  const desc = envoyTypes.getMessage(`envoy.${type}`);
  assert(desc !== undefined, `${type} is a type we send`);
  const constraints = new ConstraintCheck();
  const broken = constraints.checkMessage(desc, fromJson(desc, json, { registry: envoyTypes }));
  return { broken, filled: [...constraints.filled] };
}

const cluster = "config.cluster.v3.Cluster";
const routes = "config.route.v3.RouteConfiguration";
const tls = "extensions.transport_sockets.tls.v3.DownstreamTlsContext";
const route = { match: { prefix: "/" }, directResponse: { status: 200 } };
const inRoute = (fields: object) => ({
  virtualHosts: [{ name: "a", domains: ["*"], routes: [{ ...route, ...fields }] }],
});
const header = (key: string, value: string) => inRoute({ requestHeadersToAdd: [{ header: { key, value } }] });
const manyHeaders = (length: number) => Array.from({ length }, () => ({ header: { key: "a" } }));
const context = (fields: object) => ({ commonTlsContext: { validationContext: fields } });

describe("the rules of Envoy's protos", () => {
  test.each<readonly [string, string, object]>([
    ["a cluster", cluster, { name: "a", connectTimeout: "0.001s", ringHashLbConfig: { minimumRingSize: 8_388_608 } }],
    ["a route", routes, header("a", "b")],
    ["an empty field that may be empty", routes, header("a", "")],
    ["a list of right size", routes, inRoute({ requestHeadersToAdd: manyHeaders(1000) })],
    ["a listener", "config.listener.v3.Listener", { name: "a" }],
  ])("are kept by %s", (_, type, json) => {
    expect(check(type, json as JsonValue).broken).toEqual([]);
  });

  test.each<readonly [string, string, object]>([
    ["envoy.config.cluster.v3.Cluster.name: at least 1 characters", cluster, {}],
    ["envoy.config.cluster.v3.Cluster.connect_timeout: > 0 s", cluster, { name: "a", connectTimeout: "0s" }],
    ["envoy.config.cluster.v3.Cluster.lb_policy: a value of the enum", cluster, { name: "a", lbPolicy: 99 }],
    [
      "envoy.config.cluster.v3.Cluster.RingHashLbConfig.minimum_ring_size: ≤ 8388608",
      cluster,
      { name: "a", ringHashLbConfig: { minimumRingSize: 8_388_609 } },
    ],
    [
      "envoy.config.cluster.v3.OutlierDetection.max_ejection_percent: ≤ 100",
      cluster,
      { name: "a", outlierDetection: { maxEjectionPercent: 101 } },
    ],
    [
      "envoy.config.route.v3.Route.action: is required",
      routes,
      inRoute({ directResponse: undefined, action: undefined }),
    ],
    ["envoy.config.route.v3.Route.match: is required", routes, inRoute({ match: undefined })],
    ["envoy.config.route.v3.VirtualHost.domains: at least 1 items", routes, { virtualHosts: [{ name: "a" }] }],
    ["envoy.config.route.v3.DirectResponseAction.status: < 600", routes, inRoute({ directResponse: { status: 600 } })],
    ["envoy.config.core.v3.HeaderValue.key: no NUL, CR or LF", routes, header("a\n", "b")],
    ["envoy.config.core.v3.HeaderValue.value: at most 16384 bytes", routes, header("a", "é".repeat(8193))],
    [
      "envoy.config.route.v3.Route.request_headers_to_add: at most 1000 items",
      routes,
      inRoute({ requestHeadersToAdd: manyHeaders(1001) }),
    ],
    [
      "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.verify_certificate_spki: each: at most 44 bytes",
      tls,
      context({ verifyCertificateSpki: ["a".repeat(44), "a".repeat(45)] }),
    ],
    [
      "envoy.type.matcher.v3.RegexMatcher.regex: at least 1 characters",
      routes,
      inRoute({ match: { safeRegex: { regex: "" } } }),
    ],
  ])("are broken: %s", (broken, type, json) => {
    const given = JSON.parse(JSON.stringify(json)) as JsonValue;
    expect(check(type, given).broken).toEqual([broken]);
  });

  test("hold for messages within an Any", () => {
    const typedConfig = { "@type": "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy" };
    const filters = [{ name: "tcp", typedConfig: { ...typedConfig, cluster: "a" } }];
    expect(check("config.listener.v3.Listener", { name: "a", filterChains: [{ filters }] })).toMatchObject({
      broken: ["envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.stat_prefix: at least 1 characters"],
      filled: expect.arrayContaining(["envoy.config.listener.v3.Filter.name"]) as string[],
    });
  });
});
