import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../../testing/config/analysis-input.ts";

const server = (port: number, hosts: string, more = "") =>
  `{ port: { number: ${port}, name: p${port}, protocol: HTTP }, hosts: [${hosts}] ${more} }`;

const gateway = (name: string, servers: string, { selector = "istio: ingressgateway", namespace = "shop" } = {}) => `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: ${name}, namespace: ${namespace} }
spec: { selector: { ${selector} }, servers: [${servers}] }
---`;

const workload = (kind: "Pod" | "Deployment", app: string) =>
  kind === "Pod"
    ? `\n{ apiVersion: v1, kind: Pod, metadata: { name: ${app}, namespace: edge, labels: { app: ${app} } } }\n---`
    : `\n{ apiVersion: apps/v1, kind: Deployment, metadata: { name: ${app}, namespace: edge }, spec: { template: { metadata: { labels: { app: ${app} } } } } }\n---`;

const service = (app: string, ports: string) => `
apiVersion: v1
kind: Service
metadata: { name: ${app}, namespace: edge }
spec: { selector: { app: ${app} }, ports: [${ports}] }
---`;

describe("the workloads of a gateway", () => {
  const analyzer = "gateway.IngressGatewayPortAnalyzer";
  const own = gateway("main", server(8080, "a.com"), { selector: "app: edge" });

  test.each([
    ["are Istio's own by default", gateway("main", server(80, "a.com")), []],
    ["must exist", own, ["IST0101 Gateway shop/main spec.selector"]],
    [
      "may be those that a Deployment will make",
      own + workload("Deployment", "edge") + service("edge", "{ port: 8080 }"),
      [],
    ],
    [
      "are reached by a service on the port they listen on",
      own + workload("Pod", "edge") + service("edge", "{ port: 80, targetPort: 8080 }"),
      [],
    ],
    [
      "are reached by a service on its own port, which is translated",
      own + workload("Pod", "edge") + service("edge", "{ port: 8080, targetPort: 80 }"),
      [],
    ],
    [
      "are not reached on another port",
      own + workload("Pod", "edge") + service("edge", "{ port: 80, targetPort: 8081 }"),
      ["IST0162 Gateway shop/main spec.servers[0].port.number"],
    ],
    [
      "are not reached by UDP",
      own + workload("Pod", "edge") + service("edge", "{ port: 8080, protocol: UDP }"),
      ["IST0162 Gateway shop/main spec.servers[0].port.number"],
    ],
    [
      "are not reached by a service of others",
      own + workload("Pod", "edge") + service("other", "{ port: 8080 }"),
      ["IST0162 Gateway shop/main spec.servers[0].port.number"],
    ],
  ])("%s", (_, text, expected) => {
    expect(findingsOf(text, { analyzer })).toEqual(expected);
  });

  test("are not assumed where ingress is switched off", () => {
    const text = gateway("main", server(80, "a.com")) + workload("Pod", "other");
    expect(findingsOf(text, { analyzer, mesh: "ingressControllerMode: OFF" })).toEqual([
      "IST0101 Gateway shop/main spec.selector",
    ]);
  });
});

describe("two gateways", () => {
  const analyzer = "gateway.ConflictingGatewayAnalyzer";

  test.each([
    ["conflict over a host on a port", gateway("a", server(80, "x.com")) + gateway("b", server(80, "x.com")), 2],
    [
      "conflict over a host and its wildcard",
      gateway("a", server(80, '"*.com"')) + gateway("b", server(80, "x.com")),
      2,
    ],
    ["do not conflict on other ports", gateway("a", server(80, "x.com")) + gateway("b", server(81, "x.com")), 0],
    ["do not conflict over other hosts", gateway("a", server(80, "x.com")) + gateway("b", server(80, "y.com")), 0],
    [
      "do not conflict on other workloads",
      gateway("a", server(80, "x.com")) + gateway("b", server(80, "x.com"), { selector: "app: b" }),
      0,
    ],
    [
      "conflict on a workload that both select with different labels",
      gateway("a", server(80, "x.com"), { selector: "app: edge" }) +
        gateway("b", server(80, "x.com"), { selector: "app: edge, tier: front" }) +
        "\n{ apiVersion: v1, kind: Pod, metadata: { name: edge, namespace: edge, labels: { app: edge, tier: front } } }\n---",
      2,
    ],
    [
      "do not conflict if no workload has the labels of both",
      gateway("a", server(80, "x.com"), { selector: "app: edge" }) +
        gateway("b", server(80, "x.com"), { selector: "app: edge, tier: front" }) +
        workload("Pod", "edge"),
      0,
    ],
    [
      "do not conflict on other addresses",
      gateway("a", server(80, "x.com", ", bind: 10.0.0.1")) + gateway("b", server(80, "x.com", ", bind: 10.0.0.2")),
      0,
    ],
    [
      "do not conflict when each is for a namespace of its own",
      gateway("a", server(80, "a/x.com")) + gateway("b", server(80, "b/x.com")),
      0,
    ],
    [
      "conflict when each is for its own namespace, which is the same",
      gateway("a", server(80, "./x.com")) + gateway("b", server(80, "shop/x.com")),
      2,
    ],
  ])("%s", (_, text, count) => {
    expect(findingsOf(text, { analyzer })).toHaveLength(count);
  });

  test.each([
    [
      "with one credential are reported",
      "tls: { mode: SIMPLE, credentialName: a }",
      "tls: { mode: SIMPLE, credentialName: a }",
      2,
    ],
    [
      "with the same files are reported",
      "tls: { mode: SIMPLE, serverCertificate: a, privateKey: b }",
      "tls: { mode: SIMPLE, serverCertificate: a, privateKey: b }",
      2,
    ],
    [
      "with different credentials are not reported",
      "tls: { mode: SIMPLE, credentialName: a }",
      "tls: { mode: SIMPLE, credentialName: b }",
      0,
    ],
    ["without certificates are not reported", "", "", 0],
  ])("%s", (_, one, other, count) => {
    const text = gateway("a", server(80, "x.com", `, ${one}`)) + gateway("b", server(81, "y.com", `, ${other}`));
    expect(findingsOf(text, { analyzer: "gateway.CertificateAnalyzer" })).toHaveLength(count);
  });
});

/** The certificate of "shop", valid for a hundred years from the end of 2026. Its key no longer exists. */
const certificateBytes = [
  "MIIBdTCCARugAwIBAgIUZZpyX3TcK5Thr+6MycbakoCbst4wCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEc2hvcDAgFw0yNjExMTYw",
  "NDU5MTJaGA8yMTI2MTAyMzA0NTkxMlowDzENMAsGA1UEAwwEc2hvcDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMWnQapTsV2R",
  "KnsskT92XWBkxZM0PcTdjRjYVcNdV/ii2lMPV4Lrq+wz46ayz10erephSdKZc/53DGCMsPcKH1WjUzBRMB0GA1UdDgQWBBT54MrM",
  "tS/8df3hS26WTXpZ5Kk3zTAfBgNVHSMEGDAWgBT54MrMtS/8df3hS26WTXpZ5Kk3zTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49",
  "BAMCA0gAMEUCICgNtKqUDbzc9EBM85y2ZZAR5v+NdO/s0yxJH/PQsQaAAiEA23BltHjKksF8Oy3cqIRzmdpJznOHzXIw37lX0mnb",
  "esI=",
].join("");

const pem = (what: string, bytes: string) =>
  JSON.stringify(`-----BEGIN ${what}-----\n${bytes}\n-----END ${what}-----\n`);
const certificate = pem("CERTIFICATE", certificateBytes);
const key = pem("PRIVATE KEY", "AAAA");

const secretIn = (namespace: string, data: string) =>
  `\n{ apiVersion: v1, kind: Secret, metadata: { name: shop, namespace: ${namespace} }, stringData: { ${data} } }\n---`;

describe("a credential of a gateway", () => {
  const analyzer = "gateway.SecretAnalyzer";
  const named = gateway("main", server(443, "a.com", ", tls: { mode: SIMPLE, credentialName: shop }"));
  const pair = `tls.crt: ${certificate}, tls.key: ${key}`;
  const now = Date.parse("2030-01-01");
  const path = "spec.servers[0].tls.credentialName";

  test.each([
    ["must be in the namespace of the workloads", named + secretIn("istio-system", pair), []],
    ["is not found in another namespace", named + secretIn("shop", pair), ["IST0101"]],
    ["may be of the older form", named + secretIn("istio-system", `cert: ${certificate}, key: ${key}`), []],
    ["must contain a certificate and a key", named + secretIn("istio-system", `tls.crt: ${certificate}`), ["IST0161"]],
    [
      "must contain a valid key",
      named + secretIn("istio-system", `tls.crt: ${certificate}, tls.key: secret`),
      ["IST0161"],
    ],
    [
      "must contain a valid certificate",
      named + secretIn("istio-system", `tls.crt: ${key}, tls.key: ${key}`),
      ["IST0161"],
    ],
  ])("%s", (_, text, codes) => {
    expect(findingsOf(text, { analyzer, now })).toEqual(codes.map((code) => `${code} Gateway shop/main ${path}`));
  });

  test.each(["2020-01-01", "2200-01-01"])("is useless outside its validity, such as %s", (day) => {
    const text = named + secretIn("istio-system", pair);
    expect(findingsOf(text, { analyzer, now: Date.parse(day) })).toEqual([`IST0161 Gateway shop/main ${path}`]);
  });
});
