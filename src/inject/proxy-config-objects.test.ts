import { describe, expect, test } from "vitest";
import { configIn } from "../testing/config/configs-in.ts";
import { containerOf, injectedPod, variableOf } from "../testing/config/injection.ts";

interface Spec {
  readonly namespace?: string;
  readonly year?: number;
  readonly selector?: object;
  readonly concurrency?: number;
  readonly imageType?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** A ProxyConfig, of the namespace shop and of 2024 unless stated otherwise. */
function proxyConfig({ namespace = "shop", year = 2024, selector, concurrency, imageType, variables }: Spec) {
  const name = `of-${year}`;
  return configIn(
    JSON.stringify({
      apiVersion: "networking.istio.io/v1beta1",
      kind: "ProxyConfig",
      metadata: { name, namespace, creationTimestamp: `${year}-01-01T00:00:00Z` },
      spec: {
        ...(selector && { selector }),
        ...(concurrency !== undefined && { concurrency }),
        ...(imageType !== undefined && { image: { imageType } }),
        environmentVariables: variables ?? {},
      },
    }),
  );
}

const ofWeb = { matchLabels: { app: "web" } };
const mesh = "defaultConfig: {concurrency: 1, proxyMetadata: {A: mesh, B: mesh}}";

/** The settings of the proxy in a pod of the namespace shop with the label `app: web`. */
function proxyIn(objects: readonly Spec[], annotation = "{}") {
  const yaml = `
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {app: web}, annotations: {proxy.istio.io/config: '${annotation}'}}
spec: {containers: [{name: web, image: web}]}
`;
  const pod = injectedPod(yaml, { mesh, proxyConfigs: objects.map(proxyConfig) });
  const config = JSON.parse(String(variableOf(pod, "PROXY_CONFIG")?.["value"])) as { concurrency: number };
  return {
    concurrency: config.concurrency,
    image: containerOf(pod, "istio-proxy").image,
    variable: (name: string) => variableOf(pod, name)?.["value"],
  };
}

describe("ProxyConfig objects and injected pods", () => {
  test.each([
    ["the mesh", [], 1],
    ["the object of the root namespace", [{ namespace: "istio-system", concurrency: 2 }], 2],
    ["the object of the pod's namespace", [{ concurrency: 3 }, { namespace: "istio-system", concurrency: 2 }], 3],
    [
      "the object that selects the pod",
      [
        { selector: ofWeb, concurrency: 4 },
        { year: 2020, concurrency: 3 },
      ],
      4,
    ],
    ["no object of another namespace", [{ namespace: "bank", concurrency: 5 }], 1],
    ["no object for other pods", [{ selector: { matchLabels: { app: "api" } }, concurrency: 5 }], 1],
  ])("%s decides", (_, objects: readonly Spec[], concurrency) => {
    expect(proxyIn(objects).concurrency).toBe(concurrency);
  });

  const annotation = "{concurrency: 6}";

  test("an annotation of the pod overrides the object of its namespace, but not the object that selects the pod", () => {
    expect(proxyIn([{ concurrency: 3 }], annotation).concurrency).toBe(6);
    expect(proxyIn([{ concurrency: 4, selector: ofWeb }], annotation).concurrency).toBe(4);
  });

  test.each([
    ["of a namespace", {}],
    ["that select the pod", { selector: ofWeb }],
  ])("among objects %s only the oldest counts", (_, more) => {
    const older = { ...more, year: 2019, variables: { A: "older" } };
    const younger = { ...more, year: 2023, concurrency: 8, variables: { A: "younger" } };
    for (const objects of [
      [older, younger],
      [younger, older],
    ]) {
      const { concurrency, variable } = proxyIn(objects);
      expect([concurrency, variable("A")]).toEqual([1, "older"]);
    }
  });

  test("variables are merged one by one, and become variables of the proxy", () => {
    const { variable } = proxyIn([{ variables: { B: "object", C: "object" } }]);
    expect([variable("A"), variable("B"), variable("C")]).toEqual(["mesh", "object", "object"]);
  });

  test("the type of an image selects the image of the proxy", () => {
    expect(proxyIn([{ imageType: "distroless" }]).image).toBe("istio/proxyv2:1.29.6-distroless");
  });
});
