import { describe, expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const service = (spec: string, metadata = "") => objectYaml("v1", "Service", `spec: { ${spec} }`, metadata);

describe("a port of a service", () => {
  const analyzer = "service.PortNameAnalyzer";

  test.each([
    [
      "says its protocol",
      "ports: [{ port: 1, name: http }, { port: 2, name: grpc-web-x }, { port: 3, name: TCP-x }]",
      [],
    ],
    ["says it otherwise", "ports: [{ port: 1, appProtocol: https }, { port: 2, appProtocol: kubernetes.io/h2c }]", []],
    ["is not TCP", "ports: [{ port: 1, protocol: UDP }]", []],
    ["is well known", "ports: [{ port: 3306 }]", []],
    ["says nothing", "ports: [{ port: 1, name: web }, { port: 2 }]", ["IST0118", "IST0118"]],
    ["says nothing, and leads out of the mesh", "type: ExternalName, ports: [{ port: 1, name: tcp }]", ["IST0150"]],
  ])("%s", (_, spec, codes) => {
    expect(codesOf(analyzer, service(spec))).toEqual(codes);
  });

  test("of Istio itself is not reported", () => {
    expect(codesOf(analyzer, service("ports: [{ port: 1 }]", "labels: { istio: pilot }"))).toEqual([]);
  });
});

const entry = (spec: string) => objectYaml("networking.istio.io/v1", "ServiceEntry", `spec: { ${spec} }`);

describe("a service entry", () => {
  const tcp = "hosts: [a.com], resolution: DNS, ports: [{ number: 1, name: tcp, protocol: TCP }]";

  test.each([
    ["with TCP needs addresses", entry(tcp), "", ["IST0134"]],
    ["with an address is fine", entry(`${tcp}, addresses: [10.0.0.1]`), "", []],
    [
      "with TLS is fine",
      entry("hosts: [a.com], resolution: DNS, ports: [{ number: 1, name: tls, protocol: TLS }]"),
      "",
      [],
    ],
    [
      "gets an address from its proxies",
      entry(tcp),
      'defaultConfig: { proxyMetadata: { ISTIO_META_DNS_CAPTURE: "true", ISTIO_META_DNS_AUTO_ALLOCATE: "true" } }',
      [],
    ],
    [
      "got an address from the cluster",
      objectYaml(
        "networking.istio.io/v1",
        "ServiceEntry",
        `spec: { ${tcp} }\nstatus: { addresses: [{ value: 240.0.0.1 }] }`,
      ),
      "",
      [],
    ],
  ])("%s", (_, text, mesh, codes) => {
    expect(codesOf("serviceentry.ProtocolAddressesAnalyzer", text, mesh)).toEqual(codes);
  });

  test.each([
    ["disagrees with another one about a port", "HTTP", "TLS", "", 2],
    ["agrees, in any case", "HTTP", "http", "", 0],
    ["disagrees where nobody sees both", "HTTP", "TLS", 'exportTo: ["."],', 0],
  ])("%s", (_, one, other, exportTo, count) => {
    const of = (namespace: string, protocol: string) => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: a, namespace: ${namespace} }
spec: { hosts: [a.com], ${exportTo} resolution: DNS, ports: [{ number: 1, name: a, protocol: ${protocol} }] }
---`;
    const analyzer = "serviceentry.ConflictingServiceEntryProtocolAnalyzer";
    expect(codesOf(analyzer, of("x", one) + of("y", other))).toHaveLength(count);
  });
});
