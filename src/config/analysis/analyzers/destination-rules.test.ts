import { describe, expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const rule = (spec: string) => objectYaml("networking.istio.io/v1", "DestinationRule", `spec: { ${spec} }`);
const service = (spec: string, metadata = "") => objectYaml("v1", "Service", `spec: { ${spec} }`, metadata);

describe("a destination rule", () => {
  test.each([
    ["verifies nobody", "trafficPolicy: { tls: { mode: SIMPLE } }", ["IST0128"]],
    [
      "verifies nobody on a port",
      "trafficPolicy: { portLevelSettings: [{ port: { number: 1 }, tls: { mode: SIMPLE } }] }",
      ["IST0129"],
    ],
    ["verifies", "trafficPolicy: { tls: { mode: SIMPLE, caCertificates: system } }", []],
    [
      "verifies by a credential, which sidecars read for the workloads that it selects",
      "workloadSelector: { matchLabels: { app: a } }, trafficPolicy: { tls: { mode: SIMPLE, credentialName: a } }",
      [],
    ],
    [
      "verifies nobody by a credential for all",
      "trafficPolicy: { tls: { mode: SIMPLE, credentialName: a } }",
      ["IST0128"],
    ],
    [
      "verifies nobody by a credential for a port of all",
      "trafficPolicy: { portLevelSettings: [{ port: { number: 1 }, tls: { mode: MUTUAL, credentialName: a } }] }",
      ["IST0129"],
    ],
    ["does not verify on purpose", "trafficPolicy: { tls: { mode: SIMPLE, insecureSkipVerify: true } }", []],
    ["leaves it to Istio", "trafficPolicy: { tls: { mode: ISTIO_MUTUAL } }", []],
  ])("%s", (_, spec, codes) => {
    expect(codesOf("destinationrule.CaCertificateAnalyzer", rule(`host: a, ${spec}`))).toEqual(codes);
  });

  const pods = `${service("selector: { app: a }, ports: [{ port: 1 }]")}${objectYaml("v1", "Pod", "", "labels: { app: a, version: v1 }")}`;

  test.each([
    ["has a subset that is there", "host: a, subsets: [{ name: v1, labels: { version: v1 } }]", []],
    ["has a subset that is not there", "host: a, subsets: [{ name: v2, labels: { version: v2 } }]", ["IST0173"]],
    [
      "has a subset by place, which no object tells",
      "host: a, subsets: [{ name: z, labels: { topology.kubernetes.io/zone: z } }]",
      [],
    ],
    [
      "has a subset of no place at all",
      'host: a, subsets: [{ name: z, labels: { topology.kubernetes.io/zone: "" } }]',
      ["IST0173"],
    ],
    ["is for nobody", "host: b", ["IST0174"]],
    ["is for whatever there is", 'host: "*.local"', []],
  ])("%s", (_, spec, codes) => {
    expect(codesOf("destinationrule.PodNotSelectedAnalyzer", pods + rule(spec))).toEqual(codes);
  });
});
