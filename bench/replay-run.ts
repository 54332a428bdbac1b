/**
 * `node bench/replay-run.ts FILE`: sends recorded responses over our transport, and does nothing else. It shows the least
 * that any server of ours can cost. Prints its address. The parent names each edit over IPC.
 */
import { readFileSync } from "node:fs";
import { deserialize } from "node:v8";
import type { GrpcStream } from "../src/lib/grpc/grpc-stream.ts";
import { createGrpcServer } from "../src/transport/server/grpc-server.ts";
import { discoveryMethods } from "../src/xds/services/discovery-methods.ts";
import { readDeltaRequest, readSotwRequest } from "../src/xds/wire/request.ts";
import type { Recording, RecordedResponse } from "./compare/recording.ts";
import { nullLogger } from "./sizing/null-logger.ts";

const [, , file = ""] = process.argv;
const recording = deserialize(readFileSync(file)) as Recording;
const streams = new Set<GrpcStream>();
const noBytes = new Uint8Array();

function serve(stream: GrpcStream): void {
  const answered = new Set<string>();
  streams.add(stream);
  stream.attach({
    onMessage: (bytes) => {
      const { typeUrl, isBack } = read(bytes);
      if (answered.has(typeUrl)) return;
      answered.add(typeUrl);
      const responses = isBack ? recording.reconnect : recording.first;
      sendAll(
        stream,
        responses.filter((response) => response.typeUrl === typeUrl),
      );
    },
    onFlushed: () => undefined,
    onClose: () => void streams.delete(stream),
  });
}

/** The type of a request, and whether its client holds resources of an earlier stream. */
function read(bytes: Uint8Array): { readonly typeUrl: string; readonly isBack: boolean } {
  if (recording.mode === "sotw") {
    const { typeUrl, version } = readSotwRequest(bytes);
    return { typeUrl, isBack: version !== "" };
  }
  const { typeUrl, held } = readDeltaRequest(bytes);
  return { typeUrl, isBack: held.size > 0 };
}

function sendAll(stream: GrpcStream, responses: readonly RecordedResponse[]): void {
  for (const { bytes } of responses) stream.send(noBytes, [bytes]);
}

process.on("message", (key: string) => {
  const responses = recording.edits.get(key) ?? [];
  for (const stream of streams) sendAll(stream, responses);
});
process.on("disconnect", () => process.exit());
const server = createGrpcServer({ address: "127.0.0.1:0", logger: nullLogger, methods: discoveryMethods(serve) });
process.send?.(await server.start());
