import { expect, test } from "vitest";
import { fakeExtension } from "../../../testing/model/fake-extension.ts";
import { noPolicies } from "../../../testing/model/no-policies.ts";
import type { Extension } from "./extension.ts";
import { extensionsIn, policiesAt } from "./extension-order.ts";

const mesh = { rootNamespace: "istio-system" };

function ordered(...extensions: readonly Extension[]): readonly string[] {
  return extensionsIn("unspecified", { ...noPolicies, extensions }, mesh).map(({ name }) => name);
}

test("the highest priority comes first, and extensions without a priority last", () => {
  const low = fakeExtension("low", { priority: -(2 ** 31) });
  expect(ordered(fakeExtension("none"), low, fakeExtension("high", { priority: 9 }))).toEqual(["high", "low", "none"]);
});

test("among equals the own namespace comes before the root namespace, and then the given order counts", () => {
  const root = fakeExtension("root", { namespace: "istio-system" });
  expect(ordered(root, fakeExtension("b"), fakeExtension("a"))).toEqual(["b", "a", "root"]);
});

test("a phase has only its own extensions", () => {
  const extensions = [fakeExtension("a", { phase: "authn" }), fakeExtension("b", { phase: "stats" })];
  expect(extensionsIn("authn", { ...noPolicies, extensions }, mesh).map(({ name }) => name)).toEqual(["a"]);
});

test.each<[Extension["match"], string, boolean]>([
  [[], "server 80", true],
  [[{ mode: "any", ports: [] }], "server 80", true],
  [[{ mode: "server", ports: [] }], "server 80", true],
  [[{ mode: "client", ports: [] }], "server 80", false],
  [[{ mode: "any", ports: [80] }], "client 80", true],
  [[{ mode: "any", ports: [81] }], "client 80", false],
  [[{ mode: "client", ports: [80] }], "server 80", false],
  [
    [
      { mode: "server", ports: [81] },
      { mode: "any", ports: [80] },
    ],
    "server 80",
    true,
  ],
  [[{ mode: "server", ports: [80] }], "server 0", false],
])("the selectors %j for %s: %s", (match, traffic, selected) => {
  const [mode, port] = traffic.split(" ");
  const policies = { ...noPolicies, extensions: [fakeExtension("a", { match })] };
  const left = policiesAt(policies, { mode: mode === "server" ? "server" : "client", port: Number(port) });
  expect(left.extensions).toHaveLength(selected ? 1 : 0);
});

test("policies stay the same object where no extension is left out, and equal traffic shares the others", () => {
  const extensions = [fakeExtension("a", { match: [{ mode: "server", ports: [80] }] })];
  const policies = { ...noPolicies, extensions };
  expect(policiesAt(policies, { mode: "server", port: 80 })).toBe(policies);
  const others = policiesAt(policies, { mode: "server", port: 81 });
  expect(policiesAt(policies, { mode: "server", port: 81 })).toBe(others);
});
