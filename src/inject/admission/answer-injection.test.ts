import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyJsonPatch } from "../../testing/apply-json-patch.ts";
import { injectionContext, injectValue } from "../../testing/config/injection.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { knownAnnotations } from "../annotations.ts";
import { answerInjection } from "./answer-injection.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { generateName: "web-", labels: { app: "web" }, annotations: { "prometheus.io/port": "80" } },
  spec: {
    containers: [
      { name: "web", ports: [{ name: "http", containerPort: 80 }], readinessProbe: { httpGet: { port: "http" } } },
    ],
    volumes: [{ name: "data", emptyDir: {} }],
  },
};

const kind = { group: "", version: "v1", kind: "Pod" };

function review(request: object = {}, version = "v1"): string {
  return JSON.stringify({
    apiVersion: `admission.k8s.io/${version}`,
    kind: "AdmissionReview",
    request: { uid: "u1", kind, namespace: "shop", operation: "CREATE", object: pod, ...request },
  });
}

interface Response {
  readonly allowed: boolean;
  readonly patchType?: string;
  readonly patch?: string;
  readonly warnings?: readonly string[];
  readonly status?: { readonly message: string; readonly code: number };
}

function answer(body: string) {
  const { review: answered, verdict } = answerInjection(body, injectionContext());
  const { apiVersion, response } = answered as { readonly apiVersion: string; readonly response: Response };
  return { apiVersion, response, verdict };
}

test.each(["v1", "v1beta1"])("a review of %s is answered with a JSON patch of the same version", (version) => {
  const { apiVersion, response, verdict } = answer(review({}, version));
  expect([apiVersion, verdict.type]).toEqual([`admission.k8s.io/${version}`, "injected"]);
  expect(response).toMatchObject({ uid: "u1", allowed: true, patchType: "JSONPatch" });
  const steps = JSON.parse(Buffer.from(response.patch ?? "", "base64").toString()) as readonly {
    readonly path: string;
  }[];
  expect(steps.map(({ path }) => path)).toContain("/spec/containers/-");
});

test.each([
  ["an update", { operation: "UPDATE" }],
  ["another kind", { kind: { ...kind, kind: "Service" } }],
])("%s is admitted unchanged", (_what, request) => {
  expect(answer(review(request))).toMatchObject({ response: { allowed: true }, verdict: { type: "unchanged" } });
  expect(answer(review(request)).response.patch).toBeUndefined();
});

describe("a pod in the network of its node", () => {
  const object = { ...pod, spec: { ...pod.spec, hostNetwork: true } };

  test("is admitted with a warning", () => {
    const { response, verdict } = answer(review({ object }));
    expect(verdict).toEqual({ type: "skipped", reason: "host-network" });
    expect(response.warnings).toEqual([expect.stringContaining("this pod gets no sidecar")]);
  });

  test("is admitted without one in v1beta1, which knows none", () => {
    expect(answer(review({ object }, "v1beta1")).response).toEqual({ uid: "u1", allowed: true });
  });
});

test("the namespace of the request counts, not that of the object", () => {
  const object = { ...pod, metadata: { ...pod.metadata, namespace: "shop" } };
  expect(answer(review({ object, namespace: "kube-system" })).verdict).toEqual({
    type: "skipped",
    reason: "namespace",
  });
});

test.each([
  ["no JSON", "{", /cannot be read/u],
  ["no review", "{}", /expected an AdmissionReview/u],
  ["no object", review({ object: null }), /the pod cannot be read: expected a mapping/u],
  [
    "a bad annotation",
    review({ object: { ...pod, metadata: { annotations: { "inject.istio.io/templates": "x" } } } }),
    /there is no template "x"/u,
  ],
])("a request with %s is refused", (_what, body, message) => {
  const { response } = answer(body);
  expect(response).toMatchObject({
    allowed: false,
    status: { code: 422, message: expect.stringMatching(message) as string },
  });
});

test("an injected pod is admitted unchanged", () => {
  const { value } = injectValue(pod);
  expect(answer(review({ object: value, namespace: "default" })).verdict).toEqual({ type: "unchanged" });
});

test("a pod with 10 000 containers and long annotations is injected by a patch in proportion", () => {
  const containers = Array.from({ length: 10_000 }, (_, index) => ({ ...pod.spec.containers[0], name: `c${index}` }));
  const annotations = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`a/${index}`, "x".repeat(200)]));
  const object = { ...pod, metadata: { ...pod.metadata, annotations }, spec: { ...pod.spec, containers } };
  const { response, verdict } = answer(review({ object }));
  expect(verdict.type).toBe("injected");
  const steps = JSON.parse(Buffer.from(response.patch ?? "", "base64").toString()) as readonly object[];
  // Each container has one probe: three fields change.
  expect(steps.length).toBeLessThan(4 * containers.length);
});

test("a message about a long value is cut", () => {
  const annotations = Object.fromEntries(
    knownAnnotations.map(({ name }) => [name, "\u0007 bad".repeat(10_000)] as const),
  );
  const { response } = answer(review({ object: { ...pod, metadata: { annotations } } }));
  expect(response.status?.message).toHaveLength(2000);
  expect(response.status?.message).not.toMatch(/\p{Cc}/u);
});

/** Every place in a value, as the keys that lead there. */
function pathsIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner).map((path) => [key, ...path]))];
}

const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, -1, 1e308, "\u0000", "\ud800", [[[]]], {}, [null], "x".repeat(5000)),
  fc.dictionary(fc.constantFrom("__proto__", "constructor", "name", "env", ""), fc.jsonValue({ maxDepth: 2 })),
);

function replaced(value: unknown, path: readonly string[], change: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? replaced(item, rest, change) : item));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: replaced(fields[key], rest, change) };
}

test("no request makes the webhook throw, and every answer is a review", () => {
  const hostile = {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: {
        "proxy.istio.io/config": "{}",
        "proxy.istio.io/overrides": "{}",
        "sidecar.istio.io/status": "{}",
        "sidecar.istio.io/userVolume": "{}",
      },
      ownerReferences: [{ apiVersion: "v1", kind: "ReplicaSet", name: "x", controller: true }],
    },
    spec: {
      ...pod.spec,
      initContainers: [
        { name: "istio-proxy", env: [{ name: "ISTIO_KUBE_APP_PROBERS", value: "{}" }], lifecycle: { preStop: {} } },
      ],
    },
  };
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...pathsIn(hostile)), strange), { minLength: 1, maxLength: 3 }),
      (changes) => {
        const object = changes.reduce<unknown>(
          (value, [path, change]) => (pathExists(value, path) ? replaced(value, path, change) : value),
          hostile,
        );
        const { response, verdict } = answer(review({ object }));
        seen.add(verdict.type);
        expect(response.allowed).toBe(verdict.type !== "refused");
        expect((response.status?.message ?? "").length).toBeLessThanOrEqual(2000);
        if (response.patch === undefined) return;
        const patched = applyJsonPatch(object, JSON.parse(Buffer.from(response.patch, "base64").toString()));
        expect(answer(review({ object: patched })).verdict).toEqual({ type: "unchanged" });
      },
    ),
    { seed, numRuns: runs(500) },
  );
  expect([...seen].toSorted()).toEqual(expect.arrayContaining(["injected", "refused"]));
});

function pathExists(value: unknown, path: readonly string[]): boolean {
  return (
    path.length === 0 ||
    (typeof value === "object" &&
      value !== null &&
      Object.hasOwn(value, path[0] ?? "") &&
      pathExists(Reflect.get(value, path[0] ?? ""), path.slice(1)))
  );
}
