import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Pod } from "#gen/k8s/core/v1/pod_pb.js";
import type { ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { IngressSpec as OldIngressSpec } from "#gen/k8s/extensions/v1beta1/ingress_pb.js";
import type { IngressSpec } from "#gen/k8s/networking/v1/ingress_pb.js";
import { describeWithData, istioData } from "../../testing/shared-data.ts";
import type { Config } from "../config.ts";
import { kinds } from "../kinds.ts";
import { parseConfigs } from "../parse/parse.ts";

const parse = (text: string): ReturnType<typeof parseConfigs> =>
  parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "default" });

/** The only object of a text without mistakes. */
function only<Spec>(text: string): Config<Spec> {
  const { configs, issues } = parse(text);
  expect(issues).toEqual([]);
  expect(configs).toHaveLength(1);
  return configs[0] as unknown as Config<Spec>;
}

describe("Kubernetes' own kinds", () => {
  test("unknown fields are ignored, since the API server owns the schema", () => {
    const { spec } = only<ServiceSpec>(`
apiVersion: v1
kind: Service
metadata: {name: a, managedFields: []}
spec: {clusterIP: 10.0.0.1, fieldOfTomorrow: {deep: [1]}}
status: {loadBalancer: {}}
`);
    expect(spec.clusterIP).toBe("10.0.0.1");
  });

  test("a field of the wrong type is still an error", () => {
    const { configs, issues } = parse("apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: 80}\n");
    expect(configs).toEqual([]);
    expect(issues).toMatchObject([{ code: "wrong-type", path: "spec.ports" }]);
  });

  test("a port of a container is a number or a name", () => {
    const { spec } = only<ServiceSpec>(`
apiVersion: v1
kind: Service
metadata: {name: a}
spec: {ports: [{port: 80, targetPort: 8080}, {port: 81, targetPort: web}]}
`);
    expect(spec.ports.map(({ targetPort }) => targetPort)).toMatchObject([
      { type: 0n, intVal: 8080, strVal: "" },
      { type: 1n, intVal: 0, strVal: "web" },
    ]);
  });

  test("a namespace needs no spec, and its name is its namespace", () => {
    expect(only("apiVersion: v1\nkind: Namespace\nmetadata: {name: prod}\n")).toMatchObject({
      namespace: "",
      name: "prod",
      spec: { finalizers: [] },
    });
  });

  test("the message of a pod is the whole object", () => {
    const { spec, name } = only<Pod>(`
apiVersion: v1
kind: Pod
metadata:
  name: a-1
  generateName: a-
  labels: {app: a}
  deletionTimestamp: "2024-05-17T08:30:00.5Z"
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: a, uid: "1", controller: true}]
spec: {containers: [{name: main, image: a, resources: {limits: {cpu: 100m}}}], nodeName: n}
status: {podIP: 10.1.0.1, phase: Running, startTime: "2024-05-17T08:00:00Z"}
`);
    expect(name).toBe("a-1");
    expect(spec).toMatchObject({
      metadata: { generateName: "a-", labels: { app: "a" }, deletionTimestamp: { seconds: 1715934600n, nanos: 5e8 } },
      spec: { nodeName: "n" },
      status: { podIP: "10.1.0.1" },
    });
  });

  test("a mistake in the metadata of a whole object is reported once", () => {
    const { issues } = parse("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {app: 1}}\ndata: {}\n");
    expect(issues).toMatchObject([{ code: "wrong-type", path: "metadata.labels.app" }]);
  });

  test("an Ingress of either version keeps its rules", () => {
    const old = only<OldIngressSpec>(`
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: a}
spec: {rules: [{host: a.com, http: {paths: [{path: /x, backend: {serviceName: b, servicePort: http}}]}}]}
`);
    expect(old.spec.rules[0]?.ingressRuleValue?.http?.paths).toMatchObject([
      { path: "/x", backend: { serviceName: "b", servicePort: { strVal: "http" } } },
    ]);
    const { spec } = only<IngressSpec>(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: a}
spec: {rules: [{host: a.com, http: {paths: [{backend: {service: {name: b, port: {number: 80}}}}]}}]}
`);
    expect(spec.rules[0]?.ingressRuleValue?.http?.paths[0]?.backend?.service).toMatchObject({
      name: "b",
      port: { number: 80 },
    });
  });

  test("a mistake inside an Ingress rule has its place", () => {
    const { issues } = parse(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: a}
spec: {rules: [{host: a.com, http: {paths: x}}]}
`);
    expect(issues).toMatchObject([{ path: "spec.rules[0].http.paths", place: { line: 5 } }]);
  });
});

describeWithData(istioData, "Kubernetes' objects of Istio's data", () => {
  test.each(["endpoints", "namespace", "node", "pod", "service"])("%s is read", (kind) => {
    const file = `galley-builtin/${kind}.yaml`;
    const { configs, issues } = parse(readFileSync(join(istioData, file), "utf8"));
    expect(issues).toEqual([]);
    expect(configs).toHaveLength(1);
  });
});
