import { describe, expect, test } from "vitest";
import { codesOf } from "../../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../../testing/config/object-yaml.ts";

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
