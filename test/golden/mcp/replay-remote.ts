import { fromBinary } from "@bufbuild/protobuf";
import { RequestResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { kinds } from "../../../src/config/kinds.ts";
import { createMcpSource } from "../../../src/galley/source/mcp/mcp-source.ts";
import { receivedCollections } from "../../../src/galley/source/remote/received-collections.ts";
import { GrpcStatus, type GrpcStream } from "../../../src/lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { RecordingSink } from "../../../src/testing/mcp/mcp-observers.ts";
import { McpWire } from "../../../src/testing/mcp/mcp-wire.ts";
import { SourceRecorder } from "../../../src/testing/recording/source-recorder.ts";
import type { RecordedSession } from "./session.ts";

/** Lets a source of ours call the recorded Galley, which refuses what only we have, and hears it out. */
export async function replayRemote({ lines }: RecordedSession): Promise<SourceRecorder> {
  const heard = new SourceRecorder();
  const wires: McpWire[] = [];
  const source = createMcpSource({
    name: "mcp://real",
    connection: { start: () => Promise.resolve(), stop: () => Promise.resolve(), open: () => calledBy(wires) },
    collections: receivedCollections(kinds, { forwards: true }),
    incremental: true,
    clock: new FakeClock(),
    random: () => 0.5,
    observer: new RecordingSink(),
  });
  await source.start(heard.handler);
  for (const wire of wires) wire.settle();
  for (const line of lines) {
    if (line.type !== "push") continue;
    wires.at(-1)?.source.send(line.push.bytes ?? new Uint8Array(), []);
    wires.at(-1)?.settle();
  }
  await source.stop();
  return heard;
}

function calledBy(wires: McpWire[]): GrpcStream {
  const wire = new McpWire();
  wires.push(wire);
  wire.source.attach({
    onMessage(bytes) {
      const { collection } = fromBinary(RequestResourcesSchema, bytes);
      if (!collection.startsWith("binnacle/")) return;
      wire.source.end(GrpcStatus.INVALID_ARGUMENT, `unsupported collection ${JSON.stringify(collection)}`);
    },
    onFlushed: () => undefined,
    onClose: () => undefined,
  });
  return wire.sink;
}
