import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { largeRoutes } from "../../testing/envoy/large-routes.ts";
import { makeResource } from "../resources/make-resource.ts";
import type { Resource } from "../resources/resource.ts";
import { hostResourceName, isShellVersion, plainHostName, routesOfHost } from "./host-name.ts";
import { mergeRoutes } from "./merge-routes.ts";
import { messageIn } from "./route-bytes.ts";
import { isLarge, minHosts, splitRoutes } from "./split-routes.ts";

function routes(count: number, edits?: Readonly<Record<string, string>>): Resource {
  return makeResource(largeRoutes("80", count, edits));
}

function messageOf({ entry }: Resource) {
  return fromBinary(RouteConfigurationSchema, messageIn(entry));
}

describe("a split route configuration", () => {
  test("keeps everything but the hosts, and the catch-all, in its shell", () => {
    const whole = routes(20);
    const { shell, hosts } = splitRoutes(whole);
    const { virtualHosts, vhds, ...rest } = messageOf(shell);
    const { virtualHosts: _, vhds: none, ...wholeRest } = messageOf(whole);
    expect(rest).toEqual(wholeRest);
    expect(none).toBeUndefined();
    expect(virtualHosts.map(({ name, domains }) => [name, domains])).toEqual([["*", ["*"]]]);
    expect(vhds?.configSource?.configSourceSpecifier.case).toBe("ads");
    expect(hosts.size).toBe(20);
    expect(isShellVersion(shell.version)).toBe(true);
  });

  test("has hosts whose own names are the names of their resources", () => {
    for (const { name, entry } of splitRoutes(routes(20)).hosts) {
      expect(fromBinary(VirtualHostSchema, messageIn(entry)).name).toBe(name);
      expect(routesOfHost(name)).toBe("80");
    }
  });

  test("equals the whole one after merging, with its hosts in their order", () => {
    const whole = routes(20, { zebra: "added after the others" });
    const { shell, hosts } = splitRoutes(whole);
    const [merged, ...others] = mergeRoutes([shell], [hosts]);
    expect(others).toEqual([]);
    expect(merged?.version).toBe(whole.version);
    expect(merged?.entry).toEqual(whole.entry);
  });

  test("without hosts equals the whole one after merging, too", () => {
    const whole = routes(0);
    const { shell, hosts } = splitRoutes(whole);
    expect(mergeRoutes([shell, whole], [hosts]).map(({ version }) => version)).toEqual([whole.version, whole.version]);
  });

  test("shares every host with the one before, except the edited one", () => {
    const before = splitRoutes(routes(1000));
    const after = splitRoutes(routes(1000, { h7: "other" }), before);
    const fresh = [...after.hosts].filter((host) => before.hosts.get(host.name) !== host);
    expect(fresh.map(({ name }) => name)).toEqual(["80/h7"]);
    expect(after.shell.version).toBe(before.shell.version);
  });

  test("changes only its shell for an edited catch-all", () => {
    const before = splitRoutes(routes(20));
    const after = splitRoutes(routes(20, { "*": "other" }), before);
    expect(after.hosts).toBe(before.hosts);
    expect(after.shell.version).not.toBe(before.shell.version);
  });

  test("attributes a host to its own objects, and the shell to objects of no host", () => {
    const hostOwners = new Map(Array.from({ length: 20 }, (_, index) => [`h${index}`, [`VirtualService/a/v${index}`]]));
    const owners = ["EnvoyFilter/a/patch", ...[...hostOwners.values()].flat()];
    const { shell, hosts } = splitRoutes({ ...routes(20), owners, hostOwners });
    expect(shell.owners).toEqual(["EnvoyFilter/a/patch"]);
    expect(hosts.get("80/h3")?.owners).toEqual(["EnvoyFilter/a/patch", "VirtualService/a/v3"]);
  });
});

test("a route configuration is split from a number of hosts on, the catch-all counted", () => {
  expect(isLarge(routes(minHosts - 2))).toBe(false);
  expect(isLarge(routes(minHosts - 1))).toBe(true);
  expect(isLarge(undefined)).toBe(false);
});

test.each([
  ["reviews.default:80", 1, "80/reviews.default:80"],
  ["with/slash", 1, "80/with%2Fslash"],
  ["with%2Fpercent", 1, "80/with%252Fpercent"],
  ["twice", 2, "80/twice%232"],
])("the host %s is the resource %s", (host, occurrence, expected) => {
  const name = hostResourceName("80", host, occurrence);
  expect(name).toBe(expected);
  expect(plainHostName(name)).toBe(host);
  expect(routesOfHost(name)).toBe("80");
});
