import { expect, test } from "vitest";
import { RouteSchema, VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import type { EncodedRoute } from "./build-routes.ts";
import { encodeVirtualHost, type VirtualHost } from "./virtual-host.ts";

const writer = new ProtoWriter();

function route(name: string, catchAll = false): EncodedRoute {
  return { bytes: writer.encode(RouteSchema, { name }), catchAll, owners: [] };
}

function encoded(changes: Partial<VirtualHost> = {}): unknown {
  const plain = { name: "a:80", domains: ["a"], routes: [], requireTls: false, countsAttempts: true };
  return decodedMessage(VirtualHostSchema, encodeVirtualHost({ ...plain, ...changes }, writer));
}

test("catch-all routes come last, and the others keep their order", () => {
  const routes = [[route("all", true)], [route("b"), route("a"), route("too late", true)]];
  expect(encoded({ routes })).toMatchObject({
    routes: [{ name: "b" }, { name: "a" }, { name: "all" }, { name: "too late" }],
  });
});

test("servers receive the attempt count, unless the proxy settings disable it", () => {
  expect(encoded()).toMatchObject({ includeRequestAttemptCount: true });
  expect(encoded({ countsAttempts: false })).not.toHaveProperty("includeRequestAttemptCount");
});

test("a host whose server redirects to HTTPS demands TLS", () => {
  expect(encoded({ requireTls: true })).toMatchObject({ requireTls: "ALL" });
  expect(encoded()).not.toHaveProperty("requireTls");
});
