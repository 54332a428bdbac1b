import fc from "fast-check";
import { expect, test } from "vitest";
import { isMapping } from "../../lib/is-mapping.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { admitReview } from "./admit-review.ts";
import type { RuleSet } from "./judge.ts";

const virtualService = {
  apiVersion: "networking.istio.io/v1",
  kind: "VirtualService",
  metadata: { name: "reviews", namespace: "shop", labels: { app: "reviews" }, annotations: {} },
  spec: {
    hosts: ["reviews.shop.svc.cluster.local"],
    gateways: ["mesh"],
    http: [
      {
        match: [{ uri: { prefix: "/v2" }, headers: { cookie: { regex: "user=jason" } } }],
        route: [{ destination: { host: "reviews", subset: "v2", port: { number: 80 } }, weight: 100 }],
        timeout: "5s",
        retries: { attempts: 3, perTryTimeout: "1s", retryOn: "5xx" },
        fault: { abort: { httpStatus: 503, percentage: { value: 0.1 } } },
      },
    ],
  },
};

const review = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "705ab4f5",
    kind: { group: "networking.istio.io", version: "v1", kind: "VirtualService" },
    resource: { group: "networking.istio.io", version: "v1", resource: "virtualservices" },
    name: "reviews",
    namespace: "shop",
    operation: "UPDATE",
    object: virtualService,
    oldObject: virtualService,
    dryRun: false,
  },
};

/** Every place in a value, as the keys that lead there. */
function pathsIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner).map((path) => [key, ...path]))];
}

const strangeKeys = ["__proto__", "constructor", "toString", "", "a.b[0]", "\n"];
const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom("", -1, 1e308, 2 ** 63, "\u0000", "\ud800", null, [[[]]], "x".repeat(5000)),
  fc.dictionary(fc.constantFrom(...strangeKeys), fc.jsonValue({ maxDepth: 1 })),
);

/** Replaces, removes or adds something at a place. */
const mutation = fc.record({
  path: fc.constantFrom(...pathsIn(review)),
  how: fc.constantFrom("replace", "remove", "add"),
  key: fc.oneof(fc.constantFrom(...strangeKeys), fc.string({ maxLength: 8 })),
  value: strange,
});

type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutated(value: unknown, { path, ...change }: Mutation): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    return change.how === "add" && isMapping(value) ? { ...value, [change.key]: change.value } : change.value;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    if (name !== key) return [[name, inner]];
    return change.how === "remove" && rest.length === 0 ? [] : [[name, mutated(inner, { path: rest, ...change })]];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner as unknown) : Object.fromEntries(entries);
}

/** JSON of a damaged review, or the text of one damaged further. */
const body = fc
  .record({
    mutations: fc.array(mutation, { minLength: 1, maxLength: 4 }),
    at: fc.nat({ max: 2000 }),
    insert: fc.option(fc.string({ unit: "binary", maxLength: 4 })),
  })
  .map(({ mutations, at, insert }) => {
    const text = JSON.stringify(mutations.reduce(mutated, review)) ?? "";
    return insert === null ? text : `${text.slice(0, at)}${insert}${text.slice(at + insert.length)}`;
  });

test("any request gets a review that allows it, or denies it with a message of bounded length", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(body, fc.constantFrom<RuleSet>("pilot", "mixer", "byKind"), (text, rules) => {
      const { verdict, review: answered } = admitReview(text, { rules, unknownFields: "warning" });
      const { allowed, uid, status } = answered.response;
      seen.add(verdict.type === "denied" ? verdict.reason : verdict.type);
      expect(answered.kind).toBe("AdmissionReview");
      expect(allowed).toBe(verdict.type !== "denied");
      expect(typeof uid).toBe("string");
      expect(status === undefined).toBe(allowed);
      expect((status?.message ?? "some text").length).toBeGreaterThan(0);
      expect((status?.message ?? "").length).toBeLessThan(10_000);
    }),
    { seed, numRuns: runs(3000) },
  );
  expect([...seen].toSorted()).toEqual([
    "allowed",
    "crd_conversion_error",
    "invalid_resource",
    "unchecked",
    "unknown_type",
    "yaml_decode_error",
  ]);
});
