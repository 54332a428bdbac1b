import { describe, expect, test } from "vitest";
import type { Kind } from "../../../config/kind.ts";
import { deployment, endpointSlice, endpoints, node, pod } from "../../../config/kinds/kubernetes.ts";
import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { kubeObject } from "../../../kube/kube-object.ts";
import { kubeObjectKey, readObject } from "./read-object.ts";

type Fields = Readonly<Record<string, unknown>>;

function read(kind: Kind, fields: Fields, metadata: Fields = {}) {
  const object = kubeObject({ metadata: { name: "reviews", namespace: "shop", ...metadata }, ...fields });
  return readObject(object, { kind, source: "kube:" });
}

const entry = {
  spec: { hosts: ["one.shop"], ports: [{ number: 80, name: "http", protocol: "HTTP" }], resolution: "DNS" },
};

describe("an object of an API server", () => {
  test("is read without kind and version, which lists omit", () => {
    expect(read(serviceEntry, entry).config).toMatchObject({
      kind: "ServiceEntry",
      namespace: "shop",
      name: "reviews",
    });
  });

  test("has its kubectl name as origin, whatever the version", () => {
    const { config } = read(serviceEntry, entry);
    expect(config?.origin).toMatchObject({
      source: "kube:",
      reference: "serviceentries.networking.istio.io/shop/reviews",
    });
    expect(config?.origin.locate("spec")).toBeUndefined();
    const older = read(serviceEntry, { apiVersion: "networking.istio.io/v1beta1", kind: "ServiceEntry", ...entry });
    expect(older.config).toMatchObject({ version: config?.version, origin: { reference: config?.origin.reference } });
  });

  test("that is unusable is an issue with its name, without a position", () => {
    const { config, issues } = read(serviceEntry, { spec: { ...entry.spec, resoluton: "DNS" } });
    expect(config).toBeUndefined();
    expect(issues).toMatchObject([{ severity: "error", object: "ServiceEntry shop/reviews", place: undefined }]);
  });

  test.each(["spec", "status"])("with endless nesting in its %s is an issue", (field) => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
    const { config, issues } = read(serviceEntry, { ...entry, [field]: deep });
    expect(config).toBeUndefined();
    const message = "lists and mappings are nested more than 200 levels deep";
    expect(issues).toMatchObject([{ code: "too-complex", object: "ServiceEntry shop/reviews", message }]);
  });

  test("has a version independent of managed fields, status, resource version and kubectl's annotation", () => {
    const { config } = read(serviceEntry, entry);
    const status = { conditions: [{ type: "Reconciled", status: "True" }] };
    const later = read(
      serviceEntry,
      { ...entry, status },
      {
        resourceVersion: "7",
        generation: 3,
        managedFields: [{ manager: "kubectl" }],
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      },
    );
    expect(later.config?.version).toBe(config?.version);
    expect(later.config?.annotations).toEqual({});
  });

  test("keeps the annotations that people write", () => {
    const annotations = { "networking.istio.io/exportTo": "." };
    expect(read(serviceEntry, entry, { annotations }).config?.annotations).toEqual(annotations);
  });

  test("needs only its key for a deletion", () => {
    const object = kubeObject({ metadata: { name: "reviews", namespace: "shop" }, spec: 7 });
    expect(kubeObjectKey(object, { scope: "namespace" })).toBe("shop/reviews");
    expect(kubeObjectKey(object, { scope: "cluster" })).toBe("reviews");
  });

  test("without a namespace is an issue, because no deletion would find it in another one", () => {
    const { config, issues } = read(serviceEntry, entry, { namespace: "" });
    expect(config).toBeUndefined();
    expect(issues).toMatchObject([{ code: "bad-namespace", object: "ServiceEntry reviews" }]);
  });

  test("needs metadata", () => {
    expect(() => kubeObject({ kind: "Service" })).toThrow("not an object");
  });
});

describe("a frequent change without meaning", () => {
  const leader = { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" }, labels: { "some/label": "x" } };
  const trigger = { annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z" } };
  const subsets = [{ addresses: [{ ip: "10.1.0.1" }], ports: [{ name: "http", port: 80 }] }];
  const beating = { type: "Ready", status: "True", lastHeartbeatTime: "2026-01-01T00:00:00Z" };

  test.each([
    ["Endpoints with the same subsets", endpoints, { subsets }, { subsets }, leader],
    [
      "an EndpointSlice that was looked at again",
      endpointSlice,
      { addressType: "IPv4" },
      { addressType: "IPv4" },
      trigger,
    ],
    ["a node whose heart beats", node, { spec: {} }, { spec: {}, status: { conditions: [beating] } }, {}],
    ["a Deployment that rolls", deployment, { spec: {} }, { spec: {}, status: { readyReplicas: 2 } }, {}],
    [
      "a pod that was probed again",
      pod,
      { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
      { status: { phase: "Running", conditions: [{ type: "Ready", status: "True", lastProbeTime: null }] } },
      {},
    ],
  ] as const)("leaves %s the same", (_what, kind, before, after, metadata) => {
    expect(read(kind, after, metadata).config?.version).toBe(read(kind, before).config?.version);
  });

  test("does not hide other subsets", () => {
    const other = [{ addresses: [{ ip: "10.1.0.2" }] }];
    expect(read(endpoints, { subsets: other }).config?.version).not.toBe(read(endpoints, { subsets }).config?.version);
  });
});
