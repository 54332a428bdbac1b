import { describe, expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const rule = (spec: string) => objectYaml("networking.istio.io/v1", "DestinationRule", `spec: { ${spec} }`);
const service = (spec: string, metadata = "") => objectYaml("v1", "Service", `spec: { ${spec} }`, metadata);

describe("a destination rule", () => {
  test.each([
    ["without caCertificates does not verify the server", "trafficPolicy: { tls: { mode: SIMPLE } }", ["IST0128"]],
    [
      "without caCertificates does not verify the server of a port",
      "trafficPolicy: { portLevelSettings: [{ port: { number: 1 }, tls: { mode: SIMPLE } }] }",
      ["IST0129"],
    ],
    ["with caCertificates verifies the server", "trafficPolicy: { tls: { mode: SIMPLE, caCertificates: system } }", []],
    [
      "with a workloadSelector verifies by a credential",
      "workloadSelector: { matchLabels: { app: a } }, trafficPolicy: { tls: { mode: SIMPLE, credentialName: a } }",
      [],
    ],
    [
      "without a workloadSelector does not verify by a credential",
      "trafficPolicy: { tls: { mode: SIMPLE, credentialName: a } }",
      ["IST0128"],
    ],
    [
      "without a workloadSelector does not verify a port by a credential",
      "trafficPolicy: { portLevelSettings: [{ port: { number: 1 }, tls: { mode: MUTUAL, credentialName: a } }] }",
      ["IST0129"],
    ],
    [
      "with insecureSkipVerify is not reported",
      "trafficPolicy: { tls: { mode: SIMPLE, insecureSkipVerify: true } }",
      [],
    ],
    ["leaves it to Istio", "trafficPolicy: { tls: { mode: ISTIO_MUTUAL } }", []],
  ])("%s", (_, spec, codes) => {
    expect(codesOf("destinationrule.CaCertificateAnalyzer", rule(`host: a, ${spec}`))).toEqual(codes);
  });

  const pods = `${service("selector: { app: a }, ports: [{ port: 1 }]")}${objectYaml("v1", "Pod", "", "labels: { app: a, version: v1 }")}`;

  test.each([
    ["may have a subset with workloads", "host: a, subsets: [{ name: v1, labels: { version: v1 } }]", []],
    ["needs workloads for its subset", "host: a, subsets: [{ name: v2, labels: { version: v2 } }]", ["IST0173"]],
    [
      "may have a subset by topology labels",
      "host: a, subsets: [{ name: z, labels: { topology.kubernetes.io/zone: z } }]",
      [],
    ],
    [
      "needs values for topology labels of a subset",
      'host: a, subsets: [{ name: z, labels: { topology.kubernetes.io/zone: "" } }]',
      ["IST0173"],
    ],
    ["needs an existing service", "host: b", ["IST0174"]],
    ["may have a wildcard host", 'host: "*.local"', []],
  ])("%s", (_, spec, codes) => {
    expect(codesOf("destinationrule.PodNotSelectedAnalyzer", pods + rule(spec))).toEqual(codes);
  });
});
