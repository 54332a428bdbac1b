import fc from "fast-check";
import type { WrittenObject } from "./written-objects.ts";

/** One host is named by services, rules, routes and Sidecars alike, so that each comes and goes under the others. */
export const host = fc.constantFrom(
  "one.a.svc.cluster.local",
  "one.a.svc.cluster.local",
  "two.a.svc.cluster.local",
  "two.a.svc.cluster.local",
  "three.b.svc.cluster.local",
);
export const ruledHost = fc.oneof(
  { weight: 4, arbitrary: host },
  { weight: 1, arbitrary: fc.constantFrom("*.a.svc.cluster.local", "*.local", "*") },
);
/** Mostly one namespace, and mostly visible: objects that do not see each other do not meet. */
export const namespace = fc.oneof(
  { weight: 6, arbitrary: fc.constant("a") },
  { weight: 1, arbitrary: fc.constantFrom("b", "istio-system") },
);
export const portNumber = fc.constantFrom(80, 80, 80, 81, 82);
export const exportTo = fc.oneof(
  { weight: 5, arbitrary: fc.constant<readonly string[]>([]) },
  { weight: 2, arbitrary: fc.constantFrom<readonly string[]>(["*"], ["."], ["a"], ["b"]) },
);

/** An object of Istio with one of a few names, so that edits meet the same object again. */
export function istio(
  kind: string,
  called: fc.Arbitrary<string>,
  spec: fc.Arbitrary<object>,
): fc.Arbitrary<WrittenObject> {
  const apiVersion = kind === "PeerAuthentication" ? "security.istio.io/v1" : "networking.istio.io/v1";
  return fc
    .record({ namespace, name: called, spec })
    .map(({ spec: written, ...metadata }) => ({ apiVersion, kind, metadata, spec: written }));
}
