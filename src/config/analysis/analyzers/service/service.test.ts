import { describe, expect, test } from "vitest";
import { codesOf } from "../../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../../testing/config/object-yaml.ts";

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
