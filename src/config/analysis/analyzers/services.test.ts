import { describe, expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const service = (spec: string, metadata = "") => objectYaml("v1", "Service", `spec: { ${spec} }`, metadata);

describe("a port of a service", () => {
  const analyzer = "service.PortNameAnalyzer";

  test.each([
    [
      "may declare its protocol in its name",
      "ports: [{ port: 1, name: http }, { port: 2, name: grpc-web-x }, { port: 3, name: TCP-x }]",
      [],
    ],
    [
      "may declare its protocol in appProtocol",
      "ports: [{ port: 1, appProtocol: https }, { port: 2, appProtocol: kubernetes.io/h2c }]",
      [],
    ],
    ["of UDP needs no protocol", "ports: [{ port: 1, protocol: UDP }]", []],
    ["with a well-known number needs no protocol", "ports: [{ port: 3306 }]", []],
    ["without a protocol is reported", "ports: [{ port: 1, name: web }, { port: 2 }]", ["IST0118", "IST0118"]],
    ["of an ExternalName service needs a protocol", "type: ExternalName, ports: [{ port: 1, name: tcp }]", ["IST0150"]],
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
    ["disagrees with another entry about a port", "HTTP", "TLS", "", 2],
    ["agrees in lower and upper case", "HTTP", "http", "", 0],
    ["disagrees unnoticed if no namespace sees both", "HTTP", "TLS", 'exportTo: ["."],', 0],
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
