import { describe, expect, test } from "vitest";
import { injectYaml } from "../testing/config/injection.ts";
import type { Pod } from "./pod.ts";

const template = "{metadata: {labels: {app: web}}, spec: {containers: [{name: web}]}}";

interface Kinds {
  readonly [path: string]: unknown;
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Kinds | undefined)?.[name], value);
}

function namesIn(template: unknown): readonly string[] {
  return (template as Pod).spec.containers.map(({ name }) => name);
}

test.each([
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["apps/v1", "ReplicaSet"],
  ["batch/v1", "Job"],
  ["v1", "ReplicationController"],
  ["argoproj.io/v1alpha1", "Rollout"],
])("the pod template of a %s %s is injected", (apiVersion, kind) => {
  const yaml = `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web, namespace: shop}, spec: {template: ${template}, other: 1}}`;
  const { value, outcomes } = injectYaml(yaml);
  expect(outcomes).toEqual([{ type: "injected", object: `${kind} shop/web`, messages: [] }]);
  expect(namesIn(at(value, "spec", "template"))).toEqual(["web", "istio-proxy"]);
  expect(at(value, "spec", "other")).toBe(1);
  const owner = `kubernetes://apis/${apiVersion}/namespaces/shop/${kind.toLowerCase()}s/web`;
  expect(JSON.stringify(value)).toContain(owner);
});

test("the pod template of a CronJob is injected, with its labels", () => {
  const yaml = `{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {jobTemplate: {spec: {template: ${template}}}}}`;
  const job = at(injectYaml(yaml).value, "spec", "jobTemplate", "spec", "template") as Pod;
  expect(namesIn(job)).toEqual(["web", "istio-proxy"]);
  expect(job.metadata.labels).toMatchObject({ "security.istio.io/tlsMode": "istio" });
});

test("the objects of a List are injected one by one", () => {
  const web = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: web}]}}";
  const service = "{apiVersion: v1, kind: Service, metadata: {name: s}}";
  const host = "{apiVersion: v1, kind: Pod, metadata: {name: h}, spec: {hostNetwork: true, containers: []}}";
  const { value, outcomes } = injectYaml(`{apiVersion: v1, kind: List, items: [${web}, ${service}, ${host}]}`);
  const items = at(value, "items") as readonly unknown[];
  expect(namesIn(items[0])).toEqual(["web", "istio-proxy"]);
  expect(items[1]).toEqual({ apiVersion: "v1", kind: "Service", metadata: { name: "s" } });
  expect(outcomes.map(({ type, object }) => `${object} ${type}`)).toEqual([
    "Pod default/a injected",
    "Pod default/h skipped",
  ]);
});

test.each([
  "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {spec: x}}",
  `{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: k}, spec: {template: ${template}}}`,
  "{apiVersion: v1, kind: List, items: []}",
  "just a text",
  "[1, 2]",
])("%s is no workload and stays", (yaml) => {
  const { value, outcomes } = injectYaml(yaml);
  expect(outcomes).toEqual([]);
  expect(value).toEqual(injectYaml(yaml).value);
});

function pod(metadata: string, spec = "containers: [{name: web}]"): string {
  return `{apiVersion: v1, kind: Pod, metadata: {name: web, ${metadata}}, spec: {${spec}}}`;
}

describe("a mistake of the user", () => {
  const annotated = (annotation: string) => pod(`annotations: {${annotation}}`);

  test.each([
    [
      annotated("inject.istio.io/templates: waypoint"),
      'annotation inject.istio.io/templates: there is no template "waypoint"; the templates are sidecar, gateway',
    ],
    [
      annotated("sidecar.istio.io/interceptionMode: MAGIC"),
      'annotation sidecar.istio.io/interceptionMode: expected REDIRECT, TPROXY or NONE, found "MAGIC"',
    ],
    [
      annotated("traffic.sidecar.istio.io/excludeInboundPorts: '80,http'"),
      'annotation traffic.sidecar.istio.io/excludeInboundPorts: expected port numbers, separated by commas, found "80,http"',
    ],
    [
      annotated("traffic.sidecar.istio.io/includeOutboundIPRanges: 10.0.0.0"),
      'annotation traffic.sidecar.istio.io/includeOutboundIPRanges: expected CIDR blocks, separated by commas, or *, found "10.0.0.0"',
    ],
    [
      annotated("sidecar.istio.io/proxyCPU: much"),
      'annotation sidecar.istio.io/proxyCPU: expected a quantity such as 100m or 128Mi, found "much"',
    ],
    [
      annotated("sidecar.istio.io/userVolume: '[]'"),
      'annotation sidecar.istio.io/userVolume: expected a JSON object of objects, found "[]"',
    ],
    [
      annotated("status.sidecar.istio.io/port: '70000'"),
      'annotation status.sidecar.istio.io/port: expected a port number, or 0, found "70000"',
    ],
    [annotated("proxy.istio.io/config: '{statusPort: high}'"), /^annotation proxy\.istio\.io\/config: statusPort: /u],
    [
      annotated("proxy.istio.io/config: '{drainDuration: 1ms}'"),
      /^annotation proxy\.istio\.io\/config: drainDuration: expected whole seconds/u,
    ],
    [annotated("proxy.istio.io/config: '{a: ['"), /^annotation proxy\.istio\.io\/config: line 1/u],
    [annotated("proxy.istio.io/overrides: 'x'"), "annotation proxy.istio.io/overrides: expected a JSON object"],
    [annotated("a: 1"), 'metadata.annotations: expected a text for "a", found number; use quotes'],
    [pod("labels: []"), "metadata.labels: expected a mapping"],
    [pod("", "containers: [{image: x}]"), "spec.containers[0].name: expected a text"],
    [pod("", "containers: [{name: a, env: [x]}]"), "spec.containers[0].env[0]: expected a mapping"],
    [pod("", "containers: [], volumes: {}"), "spec.volumes: expected a list"],
  ])("in %s is named, and the pod stays", (yaml, message) => {
    const { value, outcomes } = injectYaml(yaml);
    expect(outcomes).toEqual([
      {
        type: "failed",
        object: "Pod default/web",
        messages: [expect.stringMatching(typeof message === "string" ? exactly(message) : message)],
      },
    ]);
    expect(JSON.stringify(value)).not.toContain("istio-proxy");
  });

  test("is not the only one reported", () => {
    const { outcomes } = injectYaml(annotated("sidecar.istio.io/proxyCPU: much, inject.istio.io/templates: x"));
    expect(outcomes[0]?.messages).toHaveLength(2);
  });
});

function exactly(text: string): RegExp {
  return new RegExp(`^${RegExp.escape(text)}$`, "u");
}
