import { expect, test } from "vitest";
import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../../testing/envoy/decoded-resource.ts";
import { transportSockets } from "./transport-sockets.ts";

const writer = new ProtoWriter();
const secure = writer.encode(TransportSocketSchema, { name: "secure" });

function json(socket: Uint8Array | undefined) {
  return socket === undefined ? undefined : decodedMessage(TransportSocketSchema, socket);
}

function wraps(name: string) {
  return {
    name: "envoy.transport_sockets.upstream_proxy_protocol",
    typedConfig: { config: { version: "V2" }, transportSocket: { name } },
  };
}

test("the PROXY protocol wraps every kind of transport socket", () => {
  const always = transportSockets({ type: "always", socket: secure, names: undefined }, "v2", writer);
  expect(json(always.transportSocket)).toMatchObject(wraps("secure"));
  const plain = transportSockets({ type: "plain" }, "v2", writer);
  expect(json(plain.transportSocket)).toMatchObject(wraps("envoy.transport_sockets.raw_buffer"));
  const marked = transportSockets({ type: "where-marked", socket: secure }, "v2", writer);
  expect(marked.transportSocketMatches.map(({ transportSocket }) => json(transportSocket))).toMatchObject([
    wraps("secure"),
    wraps("envoy.transport_sockets.raw_buffer"),
  ]);
});

test("plain connections need no transport socket", () => {
  expect(transportSockets({ type: "plain" }, undefined, writer).transportSocket).toBeUndefined();
});
