import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { ClientStatusRequestSchema, ClientStatusResponseSchema } from "#gen/envoy/service/status/v3/csds_pb.js";
import { GrpcStatus } from "../../../src/lib/grpc/grpc-stream.ts";
import { SnapshotRig } from "../../../src/testing/envoy/snapshot-rig.ts";
import { streamPair } from "../../../src/testing/stream/stream-pair.ts";
import { clientStatusMethods } from "../../../src/xds/services/client-status.ts";
import { clusterType } from "../../../src/xds/type-urls.ts";
import { orRefused, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

const rig = new SnapshotRig();
rig.set({ [clusterType]: { a: "1", b: "2" } });
rig.sotw().ask({ node: { id: "node" }, typeUrl: clusterType });
const { unary, methods } = clientStatusMethods({ connections: () => rig.server.connections, metadataOf: () => ({}) });
const [fetchStatus] = unary.values();
const [streamStatus] = methods.values();

/** Requests of CSDS. Differential: the call and the stream give the same answer, or refuse the same requests. */
export const target: FuzzTarget = {
  name: "client-status",
  mode: "sync",
  seeds: () => [
    request({
      nodeMatchers: [
        { nodeId: { matchPattern: { case: "prefix", value: "node-with-a-long-name" }, ignoreCase: true } },
      ],
    }),
    request({ excludeResourceContents: true, node: { id: "b" } }),
    request({ nodeMatchers: [{ nodeMetadatas: [{ path: [] }] }] }),
  ],
  planted: {
    file: "src/xds/services/client-status.ts",
    before: "  const folded = (text: string)",
    text: "matchPattern.value",
  },
  check: (input) => {
    const answer = orRefused(() => fetchStatus?.(input));
    const { server, client } = streamPair();
    streamStatus?.(server);
    client.send(input);
    const [streamed] = client.received;
    promise(
      client.status === undefined || client.status.code === GrpcStatus.INVALID_ARGUMENT,
      "a refusal has a reason",
    );
    promise((answer === undefined) === (streamed === undefined), "the call and the stream refuse the same");
    if (answer === undefined || streamed === undefined) return;
    promise(Buffer.from(answer).equals(streamed), "the call and the stream say the same");
    for (const { node } of fromBinary(ClientStatusResponseSchema, answer).config)
      promise(node?.id === "node", "only connected clients are shown");
  },
};

function request(init: MessageInitShape<typeof ClientStatusRequestSchema>): Uint8Array {
  return toBinary(ClientStatusRequestSchema, create(ClientStatusRequestSchema, init));
}
