import { fromBinary, type JsonObject } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { patchesWith } from "../../../testing/model/envoy-patches.ts";
import { anyIn } from "../../../xds/wire/entry.ts";
import { makeResource } from "../make-resource.ts";
import { EncodedRoutes } from "./encoded-routes.ts";
import { patchRoutes } from "./patch-routes.ts";
import { PatchRun } from "./patch-run.ts";
import { patchedRoutes } from "./patched-resource.ts";

const writer = new ProtoWriter();
const names = ["one", "two", "three"];
const match = { pathSpecifier: { case: "prefix", value: "/" } } as const;
const literal = {
  name: "80",
  virtualHosts: names.map((name) => ({
    name,
    domains: [name, `${name}.example.com`],
    routes: [
      {
        name: "first",
        match,
        action: { case: "route" as const, value: { clusterSpecifier: { case: "cluster" as const, value: name } } },
      },
      { name: "second", match, action: { case: "redirect" as const, value: { hostRedirect: "elsewhere" } } },
    ],
  })),
  responseHeadersToRemove: ["x-old"],
} as const;
const bytes = writer.encode(RouteConfigurationSchema, literal);
const resource = makeResource({ name: "80", any: writer.any(RouteConfigurationSchema, literal), owners: [] });
const identity = { name: "80", context: "SIDECAR_OUTBOUND", servicePorts: new Map() } as const;

function patch(applyTo: string, operation: string, value: JsonObject, vhost?: JsonObject) {
  const match = vhost === undefined ? {} : { routeConfiguration: { vhost } };
  return { applyTo, match, patch: operation === "REMOVE" ? { operation } : { operation, value } };
}

const newHost = { name: "new", domains: ["new"] };
const ofTwo = { name: "two" };
const rows: readonly (readonly [string, ReturnType<typeof patch>])[] = [
  ["a header for all", patch("ROUTE_CONFIGURATION", "MERGE", { response_headers_to_remove: ["x-new"] })],
  ["a virtual host by a merge", patch("ROUTE_CONFIGURATION", "MERGE", { virtual_hosts: [newHost] })],
  ["other virtual hosts", patch("ROUTE_CONFIGURATION", "MERGE_AND_REPLACE_LIST", { virtual_hosts: [newHost] })],
  ["a virtual host", patch("VIRTUAL_HOST", "ADD", newHost)],
  ["a change of one virtual host", patch("VIRTUAL_HOST", "MERGE", { include_request_attempt_count: true }, ofTwo)],
  ["a change of all virtual hosts", patch("VIRTUAL_HOST", "MERGE", { include_request_attempt_count: true })],
  [
    "a change by domain",
    patch("VIRTUAL_HOST", "MERGE", { include_request_attempt_count: true }, { domainName: "two.example.com" }),
  ],
  ["another virtual host in its place", patch("VIRTUAL_HOST", "REPLACE", newHost, ofTwo)],
  ["no virtual host", patch("VIRTUAL_HOST", "REMOVE", {}, ofTwo)],
  ["a route at the end", patch("HTTP_ROUTE", "ADD", { name: "new" }, ofTwo)],
  ["a route for all", patch("HTTP_ROUTE", "INSERT_FIRST", { name: "new" })],
  ["a change of one route", patch("HTTP_ROUTE", "MERGE", { name: "new" }, { ...ofTwo, route: { name: "first" } })],
  ["no route", patch("HTTP_ROUTE", "REMOVE", {}, { ...ofTwo, route: { name: "first" } })],
];

describe("an encoded route configuration", () => {
  test.each(rows)("gets %s as a decoded one does, alone and with others", (_, one) => {
    for (const [, other] of rows) {
      const patches = patchesWith(one, other);
      const whole = fromBinary(RouteConfigurationSchema, bytes);
      patchRoutes(whole, identity, new PatchRun(patches, identity.context, writer));
      const { resource: patched, problems } = patchedRoutes([resource, writer, ...patches], identity);
      // A domain that is claimed twice is refused: then the second patch is left out.
      if (problems.size > 0) continue;
      expect(patched && fromBinary(RouteConfigurationSchema, messageIn(patched.entry))).toEqual(whole);
      expect(patched && Buffer.from(anyIn(patched.entry))).toEqual(
        Buffer.from(writer.any(RouteConfigurationSchema, whole)),
      );
    }
  });

  test("decodes only the virtual hosts that patches name", () => {
    const opened = new EncodedRoutes(bytes, ({ name }) => name === "two").open();
    expect(opened.virtualHosts.map(({ name, domains, routes }) => [name, ...domains, routes.length])).toEqual([
      ["one", "one", "one.example.com", 0],
      ["two", "two", "two.example.com", 2],
      ["three", "three", "three.example.com", 0],
    ]);
    expect(opened.responseHeadersToRemove).toEqual(["x-old"]);
  });

  test("tells what patches changed in virtual hosts that they name", () => {
    const named = { ...ofTwo, route: { name: "second" } };
    const route = patchesWith(patch("HTTP_ROUTE", "MERGE", { name: "new" }, named));
    const { parts } = patchedRoutes([resource, writer, ...route], identity);
    expect([...parts.values()]).toEqual([[{ path: "virtualHosts[1].routes[1]", made: false }]]);
  });

  test.each<[string, ReturnType<typeof patch>, string]>([
    [
      "a change of one virtual host",
      patch("VIRTUAL_HOST", "MERGE", { routes: [{}] }, ofTwo),
      "virtual_hosts[1].routes[2].action",
    ],
    [
      "a domain of another one",
      patch("VIRTUAL_HOST", "MERGE", { domains: ["three"] }, ofTwo),
      "virtual_hosts[2].domains[0]",
    ],
    ["a name without text", patch("VIRTUAL_HOST", "ADD", { domains: ["new"] }), "virtual_hosts[3].name"],
  ])("refuses %s that Envoy would refuse, at its place", (_, one, path) => {
    const { problems } = patchedRoutes([resource, writer, ...patchesWith(one)], identity);
    expect([...problems.values()].map((problem) => problem.path)).toEqual([path]);
  });
});

function messageIn(entry: Uint8Array): Uint8Array {
  return fromBinary(AnySchema, anyIn(entry)).value;
}
