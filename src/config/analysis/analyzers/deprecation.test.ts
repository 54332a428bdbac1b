import { describe, expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

describe("features that Istio has deprecated", () => {
  const analyzer = "deprecation.DeprecationAnalyzer";
  const route = "route: [{ destination: { host: a } }]";

  test.each([
    [
      "are reported for delays",
      objectYaml(
        "networking.istio.io/v1",
        "VirtualService",
        `spec: { hosts: [a], http: [{ fault: { delay: { percent: 1, fixedDelay: 1s } }, ${route} }] }`,
      ),
      1,
    ],
    [
      "are reported for egress proxies",
      objectYaml("networking.istio.io/v1", "Sidecar", "spec: { outboundTrafficPolicy: { egressProxy: { host: a } } }"),
      1,
    ],
    [
      "are reported for CRDs",
      objectYaml(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "spec: { group: rbac.istio.io, names: { kind: ServiceRole } }",
      ),
      1,
    ],
    [
      "are not reported for their replacements",
      objectYaml(
        "networking.istio.io/v1",
        "VirtualService",
        `spec: { hosts: [a], http: [{ fault: { delay: { percentage: { value: 1 }, fixedDelay: 1s } }, ${route} }] }`,
      ),
      0,
    ],
  ])("%s", (_, text, count) => {
    expect(codesOf(analyzer, text)).toHaveLength(count);
  });
});
