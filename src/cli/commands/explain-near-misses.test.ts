import { describe, expect, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

const gateway = `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: public, namespace: bookinfo}
spec:
  selector: {app: gateway}
  servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: [shop.example.com]}]
`;

function virtualService(name: string, spec: string): string {
  return `---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: bookinfo}
spec: {http: [{directResponse: {status: 200}}], ${spec}}
`;
}

const service = `---
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: reviews, namespace: bookinfo}
spec:
  hosts: [reviews.bookinfo.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 9080, name: http, protocol: HTTP}, {number: 9090, name: tcp-data, protocol: TCP}]
  endpoints: [{address: 10.0.0.1, labels: {version: v1}}]
`;

const rule = `---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews, namespace: bookinfo}
spec:
  host: reviews.bookinfo.svc.cluster.local
  subsets: [{name: v1, labels: {version: v1}}, {name: v2, labels: {version: v2}}]
`;

function route(subset: string, host = "reviews.bookinfo.svc.cluster.local"): string {
  return `---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: shop, namespace: bookinfo}
spec:
  hosts: [shop.example.com]
  gateways: [public]
  http: [{route: [{destination: {host: ${host}, port: {number: 9080}, subset: ${subset}}}]}]
`;
}

async function misses(input: string, from: string, url: string, ...args: readonly string[]) {
  const { stdout } = await runCommand(["explain", "-", "--from", from, url, "-o", "json", ...args], { input });
  const { nearMisses } = JSON.parse(stdout) as { nearMisses: readonly { id: string; why: string }[] };
  return nearMisses.map(({ id, why }) => `${id} ${why}`);
}

const router = "router~gateway-0.bookinfo";
const shop = "http://shop.example.com:8080/";

describe("near misses of a router", () => {
  test("name a Gateway with the port that selects other proxies, with its place", async () => {
    const args = ["explain", "-", "--from", "router~foo-0.bookinfo", shop];
    const { code, stdout } = await runCommand(args, { input: gateway });
    expect(code).toBe(1);
    expect(stdout.replaceAll(/\s+/gu, " ")).toContain(
      "near miss: Gateway bookinfo/public (<stdin>:1) has that port and selects app=gateway; this proxy has app=foo",
    );
  });

  test.each([
    ["http://shop.example.com:81/", "", "Gateway/bookinfo/public selects this proxy and has port 8080, not 81"],
    [
      "http://other.example.com:8080/",
      "",
      "Gateway/bookinfo/public has that port for shop.example.com, not for other.example.com",
    ],
    [
      shop,
      virtualService("lost", "hosts: [shop.example.com]"),
      "VirtualService/bookinfo/lost has host shop.example.com and is bound to mesh, not to bookinfo/public",
    ],
    [
      "http://shp.example.com:8080/",
      virtualService("near", "hosts: [shop.example.com], gateways: [public]"),
      "VirtualService/bookinfo/near has host shop.example.com, which is similar to shp.example.com",
    ],
  ])("%s with %j", async (url, more, expected) => {
    expect(await misses(`${gateway}${more}`, router, url)).toContain(expected);
  });

  test("name a VirtualService hidden by exportTo", async () => {
    const hidden = virtualService("hidden", 'hosts: [shop.example.com], gateways: [bookinfo/public], exportTo: ["."]');
    const found = await misses(`${gateway}${hidden}`, "router~gateway-0.edge", shop);
    expect(found).toEqual([
      "VirtualService/bookinfo/hidden has host shop.example.com, and its exportTo (.) hides it from namespace edge",
    ]);
  });

  test.each([
    ["v2", "DestinationRule/bookinfo/reviews has subset v2 of version=v2; the endpoints have version=v1"],
    ["v3", "DestinationRule/bookinfo/reviews has subset v1, v2, not v3"],
  ])("say why subset %s has no endpoints", async (subset, expected) => {
    expect(await misses(`${gateway}${service}${rule}${route(subset)}`, router, shop)).toEqual([expected]);
  });

  test("name a service similar to the destination", async () => {
    const input = `${gateway}${service}${route("v1", "review.bookinfo.svc.cluster.local")}`;
    expect(await misses(input, router, shop)).toEqual([
      "ServiceEntry/bookinfo/reviews is reviews.bookinfo.svc.cluster.local, which is similar to review.bookinfo.svc.cluster.local",
    ]);
  });

  test("are empty if the request is answered", async () => {
    const input = `${gateway}${virtualService("shop", "hosts: [shop.example.com], gateways: [public]")}`;
    expect(await misses(input, router, shop)).toEqual([]);
  });
});

describe("near misses of a sidecar", () => {
  const owner = "ServiceEntry/bookinfo/reviews";
  const intercepted = ["--meta", "INTERCEPTION_MODE=REDIRECT"];

  test.each([
    ["sidecar~web-0.bookinfo", "http://reviews:81/", `${owner} has port 9080 (http), 9090 (tcp-data), not 81`],
    [
      "sidecar~web-0.default",
      "http://reviews:9080/",
      `${owner} is reviews.bookinfo.svc.cluster.local: reviews alone means a service of namespace default`,
    ],
    [
      "sidecar~web-0.bookinfo",
      "http://reveiws.bookinfo.svc.cluster.local:9080/",
      `${owner} is reviews.bookinfo.svc.cluster.local, which is similar to reveiws.bookinfo.svc.cluster.local`,
    ],
    [
      "sidecar~web-0.bookinfo",
      "http://reviews.bookinfo.svc.cluster.local:9090/",
      `${owner} declares port 9090 (tcp-data) as TCP: requests there are not routed`,
    ],
  ])("%s, %s", async (from, url, expected) => {
    expect(await misses(service.slice(4), from, url, ...intercepted)).toEqual([expected]);
  });

  test("name a service hidden by exportTo, and a Sidecar that does not import the service", async () => {
    const url = "http://reviews.bookinfo.svc.cluster.local:9080/";
    const hidden = service.slice(4).replace("spec:\n", 'spec:\n  exportTo: ["."]\n');
    expect(await misses(hidden, "sidecar~web-0.default", url, ...intercepted)).toEqual([
      `${owner} has that name, and its exportTo (.) hides it from namespace default`,
    ]);
    const sidecar = `---
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: narrow, namespace: default}
spec: {egress: [{hosts: ["./*"]}]}
`;
    expect(await misses(`${service.slice(4)}${sidecar}`, "sidecar~web-0.default", url, ...intercepted)).toEqual([
      "Sidecar/default/narrow applies to this proxy and does not import reviews.bookinfo.svc.cluster.local",
    ]);
  });
});

describe("near misses by each rule", () => {
  const owner = "ServiceEntry/bookinfo/reviews";

  test("omit a Gateway of other proxies without the port", async () => {
    expect(await misses(gateway, "router~foo-0.bookinfo", "http://shop.example.com:81/")).toEqual([]);
  });

  test("name a Gateway for proxies of another namespace", async () => {
    const scoped = ["--scope-gateway-to-namespace", "on"];
    const [found] = await misses(gateway, "router~gateway-0.edge", shop, ...scoped);
    expect(found).toBe("Gateway/bookinfo/public has that port for proxies of namespace bookinfo; this one is in edge");
    const other = "http://shop.example.com:81/";
    expect(await misses(gateway, "router~gateway-0.edge", other, ...scoped)).toEqual([]);
  });

  test("name the port that the router's own service maps to another", async () => {
    const translated = `---
apiVersion: v1
kind: Service
metadata: {name: gateway, namespace: bookinfo}
spec: {clusterIP: 10.1.0.1, selector: {app: gateway}, ports: [{name: http, port: 8080, targetPort: 18080}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: gateway-1, namespace: bookinfo, labels: {kubernetes.io/service-name: gateway}}
addressType: IPv4
endpoints: [{addresses: [10.0.9.1]}]
ports: [{name: http, port: 18080, protocol: TCP}]
`;
    const from = "router~10.0.9.1~gateway-0.bookinfo~bookinfo.svc.cluster.local";
    expect(await misses(`${gateway}${translated}`, from, shop)).toContain(
      "Gateway/bookinfo/public has port 8080, which this proxy listens on as 18080",
    );
  });

  test("name a Gateway server that lost to another one", async () => {
    const tcp = gateway.replace("name: public", "name: taken").replace("protocol: HTTP}", "protocol: TCP}");
    const found = await misses(`${gateway}---\n${tcp}`, router, shop);
    expect(found).toContainEqual(expect.stringMatching(/^Gateway\/bookinfo\/taken has a server that is left out: /u));
  });

  test("name a VirtualService whose namespace its Gateway does not allow", async () => {
    const own = gateway.replace("shop.example.com", "edge/shop.example.com");
    const lost = virtualService("lost", "hosts: [shop.example.com], gateways: [public]");
    expect(await misses(`${own}${lost}`, router, shop)).toContain(
      "VirtualService/bookinfo/lost has host shop.example.com, which no server of bookinfo/public takes from namespace bookinfo",
    );
  });

  test("name no VirtualService if the router has no listener on the port", async () => {
    const bound = virtualService("shop", "hosts: [shop.example.com]");
    expect(await misses(`${gateway}${bound}`, router, "http://shop.example.com:81/")).toEqual([
      "Gateway/bookinfo/public selects this proxy and has port 8080, not 81",
    ]);
  });

  test("name a DestinationRule with the subset hidden by exportTo", async () => {
    const hidden = rule.replace("spec:\n", 'spec:\n  exportTo: ["."]\n');
    const bound = route("v1").replace("gateways: [public]", "gateways: [bookinfo/public]");
    expect(await misses(`${gateway}${service}${hidden}${bound}`, "router~gateway-0.edge", shop)).toEqual([
      "DestinationRule/bookinfo/reviews has subset v1, and its exportTo (.) hides it from namespace edge",
    ]);
  });

  test("name a DestinationRule with the subset if another rule applies", async () => {
    const wide = rule
      .replace("name: reviews,", "name: wide,")
      .replace("host: reviews.bookinfo.svc.cluster.local", 'host: "*.bookinfo.svc.cluster.local"');
    const silent = rule.replace(/ {2}subsets: .*\n/u, "");
    expect(await misses(`${gateway}${service}${silent}${wide}${route("v1")}`, router, shop)).toEqual([
      "DestinationRule/bookinfo/reviews has no subsets, not v1",
      "DestinationRule/bookinfo/wide has subset v1, and another rule applies to this proxy",
    ]);
  });

  test("say that a service has no endpoints, or none for the port", async () => {
    const none = service.replace(/ {2}endpoints: .*\n/u, "");
    expect(await misses(`${gateway}${none}${route('""')}`, router, shop)).toEqual([`${owner} has no endpoints`]);
    const slice = `---
apiVersion: v1
kind: Service
metadata: {name: reviews, namespace: bookinfo}
spec: {clusterIP: 10.1.0.2, ports: [{name: http, port: 9080}, {name: http-more, port: 9090}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: reviews-1, namespace: bookinfo, labels: {kubernetes.io/service-name: reviews}}
addressType: IPv4
endpoints: [{addresses: [10.0.0.1]}]
ports: [{name: http-more, port: 9090, protocol: TCP}]
`;
    expect(await misses(`${gateway}${slice}${route('""')}`, router, shop)).toEqual([
      "Service/bookinfo/reviews has 1 endpoint, and none of this port",
    ]);
  });

  test("say that a destination has other ports", async () => {
    const other = route('""').replace("9080", "9999");
    expect(await misses(`${gateway}${service}${other}`, router, shop)).toEqual([
      `${owner} has port 9080 (http), 9090 (tcp-data), not 9999`,
    ]);
  });

  test("omit a DestinationRule of another host, even with the subset", async () => {
    const foreign = rule.replaceAll("reviews", "ratings");
    expect(await misses(`${gateway}${service}${foreign}${route("v1")}`, router, shop)).toEqual([]);
  });

  test("name a rule that requires ISTIO_MUTUAL only in its subset", async () => {
    const mutual = rule.replace(
      "labels: {version: v1}}",
      "labels: {version: v1}, trafficPolicy: {tls: {mode: ISTIO_MUTUAL}}}",
    );
    expect(await misses(`${gateway}${service}${mutual}${route("v1")}`, router, shop)).toEqual([
      expect.stringContaining("requires ISTIO_MUTUAL"),
    ]);
  });

  test("name services with the same first label in any domain", async () => {
    const url = "http://reviews.other.example.com:9080/";
    const args = ["sidecar~web-0.bookinfo", url, "--meta", "INTERCEPTION_MODE=REDIRECT"] as const;
    expect(await misses(service.slice(4), ...args)).toEqual([
      `${owner} is reviews.bookinfo.svc.cluster.local, which is similar to reviews.other.example.com`,
    ]);
  });

  test("name a rule that requires ISTIO_MUTUAL of a proxy without certificates", async () => {
    const mutual = `${rule}  trafficPolicy: {tls: {mode: ISTIO_MUTUAL}}\n`;
    const why =
      "DestinationRule/bookinfo/reviews requires ISTIO_MUTUAL, and this proxy has no certificates (its SDS_MODE is none)";
    expect(await misses(`${gateway}${service}${mutual}${route("v1")}`, router, shop)).toEqual([why]);
    const sidecar = ["sidecar~web-0.bookinfo", "http://reviews:9080/"] as const;
    expect(await misses(`${service.slice(4)}${mutual}`, ...sidecar)).toEqual([why]);
    expect(await misses(`${service.slice(4)}${mutual}`, ...sidecar, "--meta", "SDS_MODE=agent")).not.toContain(why);
  });

  test("are empty for TLS to a port without HTTP", async () => {
    const url = "https://reviews.bookinfo.svc.cluster.local:9090/";
    expect(
      await misses(service.slice(4), "sidecar~web-0.bookinfo", url, "--meta", "INTERCEPTION_MODE=REDIRECT"),
    ).toEqual([]);
  });
});
