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

describe("which connections a workload accepts", () => {
  test("all, where nobody says anything", () => {
    expect(policyOf()).toEqual({ mode: "permissive", ports: new Map(), owners: [] });
  });

  test("the mesh speaks for everybody, a namespace for its own, a selector for those it selects", () => {
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

  test("whoever leaves the mode unset leaves it to the next wider level", () => {
    expect(policyOf(mesh({ mode: "strict" }), fakePeerAuthentication({ mode: "unset" })).mode).toBe("strict");
    expect(policyOf(fakePeerAuthentication({ mode: "disable" }), selecting({ mode: "unset" })).mode).toBe("disable");
  });

  test("of two on one level the older counts, then the first by name", () => {
    const younger = fakePeerAuthentication({ name: "a", mode: "disable", createdAt: 2 });
    const older = fakePeerAuthentication({ name: "z", mode: "strict", createdAt: 1 });
    expect(policyOf(younger, older).mode).toBe("strict");
    const twin = fakePeerAuthentication({ name: "y", mode: "permissive", createdAt: 1 });
    expect(policyOf(older, twin).mode).toBe("permissive");
  });

  test("in the root namespace a selector selects nobody, not even there", () => {
    const selector = { app: "cart" };
    expect(policyOf(mesh({ selector, mode: "strict" })).mode).toBe("permissive");
    const there = { namespace: "istio-system", labels: { app: "cart" } };
    const push = pushOf({ peerAuthentications: [mesh({ selector, mode: "strict" })] });
    expect(mtlsPolicyFor(there, push).mode).toBe("permissive");
  });

  test("policies of other namespaces, and those that select others, do not count", () => {
    const elsewhere = fakePeerAuthentication({ namespace: "web" });
    expect(policyOf(elsewhere, selecting({ selector: { app: "other" } })).mode).toBe("permissive");
  });

  test("a port may differ; one that says nothing is as the workload is", () => {
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

  test("of a namespace as a whole nothing is known but what holds for those that nobody selects", () => {
    const push = pushOf({ peerAuthentications: [fakePeerAuthentication(), selecting({ mode: "disable" })] });
    expect([namespaceMtlsMode("shop", push), namespaceMtlsMode("web", push)]).toEqual(["strict", "permissive"]);
  });
});
