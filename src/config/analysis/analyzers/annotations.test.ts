import { describe, expect, test } from "vitest";
import { codesOf, findingsOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const annotated = (kind: string, annotation: string) =>
  objectYaml(kind === "Deployment" ? "apps/v1" : "v1", kind, "", `annotations: { ${annotation} }`);

describe("an annotation", () => {
  const analyzer = "annotations.K8sAnalyzer";

  test.each([
    ["of others is none of our business", annotated("Pod", "helm.sh/hook: x"), []],
    ["of Istio has to exist", annotated("Service", "networking.istio.io/exportThree: x"), ["IST0108"]],
    ["of Istio may be anywhere", annotated("Namespace", 'galley.istio.io/analyze-suppress: "*"'), []],
    ["has its kind", annotated("Deployment", "proxy.istio.io/config: x"), ["IST0107"]],
    ["may be deprecated", annotated("Pod", 'sidecar.istio.io/inject: "true"'), ["IST0135"]],
    [
      "is replaced by a label",
      objectYaml(
        "v1",
        "Pod",
        "",
        'labels: { sidecar.istio.io/inject: "true" }, annotations: { sidecar.istio.io/inject: "true" }',
      ),
      [],
    ],
    ["has a good value", annotated("Pod", 'traffic.sidecar.istio.io/excludeOutboundPorts: "80, 443"'), []],
    ["has a bad port", annotated("Pod", "traffic.sidecar.istio.io/excludeOutboundPorts: http"), ["IST0125"]],
    ["has a bad range", annotated("Pod", "traffic.sidecar.istio.io/includeOutboundIPRanges: 10.0.0.0/33"), ["IST0125"]],
    ["has a star for all", annotated("Pod", 'traffic.sidecar.istio.io/includeOutboundIPRanges: "*"'), []],
    ["has a bad mode", annotated("Pod", "sidecar.istio.io/interceptionMode: redirect"), ["IST0125"]],
  ])("%s", (_, text, codes) => {
    expect(codesOf(analyzer, text)).toEqual(codes);
  });

  test("that resembles one of Istio's gets a suggestion", () => {
    expect(findingsOf(annotated("Service", "networking.istio.io/exportTO: x"), { analyzer })).toEqual([
      'IST0108 Service shop/a metadata.annotations["networking.istio.io/exportTO"]',
    ]);
  });
});
