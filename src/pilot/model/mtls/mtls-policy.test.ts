import { describe, expect, test } from "vitest";
import { pushOf } from "../../../testing/model/push.ts";
import { fakePeerAuthentication } from "../../../testing/model/workload.ts";
import { mtlsModeOf, mtlsPolicyFor, namespaceMtlsMode } from "./mtls-policy.ts";
import type { PeerAuthentication } from "./peer-authentication.ts";

const cart = { namespace: "shop", labels: { app: "cart" } };
const mesh = (changes: Partial<PeerAuthentication>) =>
  fakePeerAuthentication({ namespace: "istio-system", ...changes });
const selecting = (changes: Partial<PeerAuthentication>) =>
  fakePeerAuthentication({ name: "cart", selector: { app: "cart" }, ...changes });

function policyOf(...peerAuthentications: readonly PeerAuthentication[]) {
  return mtlsPolicyFor(cart, pushOf({ peerAuthentications }));
}

test("commas in the labels of a client do not make it look like a client with other labels", () => {
  const push = pushOf({
    peerAuthentications: [mesh({ mode: "strict" }), selecting({ selector: { y: "z" }, mode: "disable" })],
  });
  expect(mtlsPolicyFor({ namespace: "shop", labels: { app: "x", y: "z" } }, push).mode).toBe("disable");
  expect(mtlsPolicyFor({ namespace: "shop", labels: { app: "x,y=z" } }, push).mode).toBe("strict");
});

describe("the mTLS policy of a workload", () => {
  test("accepts all connections without any policy", () => {
    expect(policyOf()).toEqual({ mode: "permissive", ports: new Map(), owners: [] });
  });

  test("no policy of a workload loosens the substitute of a policy that may have selected the workload", () => {
    const substitute = fakePeerAuthentication({ prevails: true, createdAt: 2 });
    const close = selecting({ mode: "permissive", ports: new Map([[80, "disable"]]), createdAt: 1 });
    expect(policyOf(close, substitute)).toEqual({ mode: "strict", ports: new Map(), owners: [substitute.owner] });
    expect(policyOf(close, { ...substitute, prevails: false }).mode).toBe("permissive");
  });

  test("a root policy applies to the mesh, a namespace policy to its namespace, a selector to the selected workloads", () => {
    const wide = mesh({ mode: "strict" });
    const own = fakePeerAuthentication({ mode: "disable" });
    const close = selecting({ mode: "permissive" });
    expect(policyOf(wide).mode).toBe("strict");
    expect(policyOf(wide, own).mode).toBe("disable");
    expect(policyOf(wide, own, close)).toMatchObject({
      mode: "permissive",
      owners: [wide.owner, own.owner, close.owner],
    });
  });

  test("an unset mode inherits from the next wider level", () => {
    expect(policyOf(mesh({ mode: "strict" }), fakePeerAuthentication({ mode: "unset" })).mode).toBe("strict");
    expect(policyOf(fakePeerAuthentication({ mode: "disable" }), selecting({ mode: "unset" })).mode).toBe("disable");
  });

  test.each([
    ["the namespace", fakePeerAuthentication],
    ["the mesh", mesh],
    ["a workload", selecting],
  ])("for %s, a policy that a user wrote goes before a converted one, whatever their times and names", (_, policy) => {
    const converted = policy({ name: "a", mode: "strict", converted: true, createdAt: 0 });
    const own = policy({ name: "z", mode: "permissive", createdAt: 1 });
    expect(policyOf(converted, own)).toMatchObject({ mode: "permissive", owners: [own.owner] });
    expect(policyOf(converted).mode).toBe("strict");
  });

  test("of two converted policies on one level, the strict one applies", () => {
    const lenient = fakePeerAuthentication({ name: "a", mode: "permissive", converted: true });
    const strict = fakePeerAuthentication({ name: "z", mode: "strict", converted: true });
    expect(policyOf(lenient, strict).mode).toBe("strict");
  });

  test("on one level the oldest policy applies, then the first by name", () => {
    const younger = fakePeerAuthentication({ name: "a", mode: "disable", createdAt: 2 });
    const older = fakePeerAuthentication({ name: "z", mode: "strict", createdAt: 1 });
    expect(policyOf(younger, older).mode).toBe("strict");
    const twin = fakePeerAuthentication({ name: "y", mode: "permissive", createdAt: 1 });
    expect(policyOf(older, twin).mode).toBe("permissive");
  });

  test("a policy with a selector in the root namespace selects no workload, not even there", () => {
    const selector = { app: "cart" };
    expect(policyOf(mesh({ selector, mode: "strict" })).mode).toBe("permissive");
    const there = { namespace: "istio-system", labels: { app: "cart" } };
    const push = pushOf({ peerAuthentications: [mesh({ selector, mode: "strict" })] });
    expect(mtlsPolicyFor(there, push).mode).toBe("permissive");
  });

  test("a workload ignores policies of other namespaces and policies that select other workloads", () => {
    const elsewhere = fakePeerAuthentication({ namespace: "web" });
    expect(policyOf(elsewhere, selecting({ selector: { app: "other" } })).mode).toBe("permissive");
  });

  test("a port may have its own mode; an unset port inherits from the workload", () => {
    const ports = new Map([
      [9443, "disable"],
      [80, "unset"],
    ] as const);
    const policy = policyOf(selecting({ mode: "strict", ports }));
    expect(policy.ports).toEqual(
      new Map([
        [80, "strict"],
        [9443, "disable"],
      ]),
    );
    expect([9443, 80, 8080].map((port) => mtlsModeOf(policy, port))).toEqual(["disable", "strict", "strict"]);
  });

  test("the mode of a namespace ignores policies with a selector", () => {
    const push = pushOf({ peerAuthentications: [fakePeerAuthentication(), selecting({ mode: "disable" })] });
    expect([namespaceMtlsMode("shop", push), namespaceMtlsMode("web", push)]).toEqual(["strict", "permissive"]);
  });
});
