import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  ClientStatusRequestSchema,
  ClientStatusResponseSchema,
  ConfigStatus,
} from "#gen/envoy/service/status/v3/csds_pb.js";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { SnapshotRig } from "../../testing/envoy/snapshot-rig.ts";
import { streamPair } from "../../testing/stream/stream-pair.ts";
import { clusterType } from "../type-urls.ts";
import { clientStatusMethods } from "./client-status.ts";

type Request = Exclude<MessageInitShape<typeof ClientStatusRequestSchema>, { $typeName: string }>;

const path = "/envoy.service.status.v3.ClientStatusDiscoveryService";
const encode = (init: Request) => toBinary(ClientStatusRequestSchema, create(ClientStatusRequestSchema, init));

function rigOf() {
  const rig = new SnapshotRig();
  rig.set({ [clusterType]: { a: "1" } });
  const connections = () => rig.server.connections;
  const { unary, methods } = clientStatusMethods({ connections, metadataOf: () => ({ from: "test" }) });
  const ask = (init: Request = {}) => {
    const bytes = unary.get(`${path}/FetchClientStatus`)?.(encode(init)) ?? new Uint8Array();
    return fromBinary(ClientStatusResponseSchema, bytes).config;
  };
  return { rig, ask, stream: methods.get(`${path}/StreamClientStatus`) };
}

/** Matches nodes whose id has this prefix. */
function named(value: string): Request {
  return { nodeMatchers: [{ nodeId: { matchPattern: { case: "prefix", value } } }] };
}

describe("CSDS", () => {
  test("reports for every client the sent resources and the client's ACK or NACK", () => {
    const { rig, ask } = rigOf();
    const { ask: request } = rig.sotw();
    request({ typeUrl: clusterType });
    const statusNow = () => ask().flatMap((each) => each.genericXdsConfigs.map(({ configStatus }) => configStatus));
    expect(statusNow()).toEqual([ConfigStatus.STALE]);
    request({ typeUrl: clusterType, responseNonce: "1" });
    expect(statusNow()).toEqual([ConfigStatus.SYNCED]);
    rig.set({ [clusterType]: { a: "2" } });
    request({ typeUrl: clusterType, responseNonce: "2", errorDetail: { code: 3, message: "no" } });
    expect(statusNow()).toEqual([ConfigStatus.ERROR]);
    expect(ask()).toMatchObject([
      {
        node: { id: "node", metadata: { from: "test" } },
        genericXdsConfigs: [{ typeUrl: clusterType, name: "a", errorState: { details: "no" } }],
      },
    ]);
  });

  test("leaves out contents on request, and clients that no matcher selects", () => {
    const { rig, ask } = rigOf();
    rig.sotw().ask({ typeUrl: clusterType });
    const configs = (init: Request) => ask(init).flatMap((each) => each.genericXdsConfigs);
    expect(configs({}).map(({ xdsConfig }) => xdsConfig?.typeUrl)).toEqual([clusterType]);
    expect(configs({ excludeResourceContents: true }).map(({ xdsConfig }) => xdsConfig)).toEqual([undefined]);
    expect([ask(named("no")).length, ask(named("other")).length]).toEqual([1, 0]);
  });

  test("refuses unsupported matchers, and answers each request on a stream", () => {
    const { rig, stream } = rigOf();
    rig.sotw().ask({ typeUrl: clusterType });
    const { server, client } = streamPair();
    stream?.(server);
    client.send(encode({}));
    client.send(encode({}));
    expect(client.received).toHaveLength(2);
    client.send(encode({ nodeMatchers: [{ nodeMetadatas: [{}] }] }));
    expect(client.status?.code).toBe(GrpcStatus.INVALID_ARGUMENT);
  });

  test("returns a client error for an unreadable request, and a server error for its own failures", () => {
    const unreadable = streamPair();
    rigOf().stream?.(unreadable.server);
    unreadable.client.send(Uint8Array.of(0xff));
    expect(unreadable.client.status?.code).toBe(GrpcStatus.INVALID_ARGUMENT);
    const { methods } = clientStatusMethods({ connections: failing, metadataOf: () => ({}) });
    const { server, client } = streamPair();
    methods.get(`${path}/StreamClientStatus`)?.(server);
    expect(() => client.send(encode({}))).toThrow("planted");
  });
});

function failing(): never {
  throw new Error("planted");
}
