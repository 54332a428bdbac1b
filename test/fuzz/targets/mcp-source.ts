import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { RequestResourcesSchema, ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { GrpcStatus } from "../../../src/lib/grpc/grpc-stream.ts";
import { gateways, serviceEntries, sourceRig } from "../../../src/testing/mcp/mcp-source-rig.ts";
import { streamPair } from "../../../src/testing/stream/stream-pair.ts";
import { framed, messagesIn } from "../frames.ts";
import { promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const sinkNode = { id: "sink-with-a-long-name" };
const nack = { code: 3, message: "no" };

/** Requests of sinks to our MCP source: subscriptions, held versions, ACKs, NACKs. */
export const target: FuzzTarget = {
  name: "mcp-source",
  mode: "sync",
  seeds: () => [
    requests({ sinkNode, collection: gateways }, { sinkNode, collection: gateways, responseNonce: "1" }),
    requests(
      { sinkNode, collection: gateways, incremental: true, initialResourceVersions: { "shop/a": "1", "shop/z": "" } },
      { sinkNode, collection: gateways, responseNonce: "1", errorDetail: nack },
      { sinkNode, collection: serviceEntries, incremental: true },
      { sinkNode, collection: gateways },
    ),
    requests({ collection: "x" }, { collection: "core/trigger", errorDetail: { code: 12 } }),
  ],
  words: [...inheritedNames, gateways, serviceEntries, "shop/a"],
  planted: {
    file: "src/mcp/source/source-stream.ts",
    before: "    const watched = this.#watches.get(request.collection) ??",
    text: "request.nodeId",
  },
  check: (input) => {
    const { source, observer, clock, publish } = sourceRig();
    publish({ "shop/a": "1", "shop/b": "1" });
    publish({ "shop/c": "1" }, serviceEntries);
    const { server, client } = streamPair();
    source.serve(server);
    messagesIn(input).forEach((message, at) => {
      client.send(message);
      clock.advance(1000);
      publish({ "shop/a": String(at) });
    });
    clock.advance(600_000);
    const [failure] = observer.failures;
    if (failure !== undefined) throw failure;
    promise(client.status?.code !== GrpcStatus.INTERNAL, "the source does not fail");
    checkPushes(client.received);
    client.disconnect();
    promise(observer.open === 0 && clock.pending === 0, "nothing is left of a closed stream");
  },
};

/** A sink may hold what it was sent: every push decodes, and names no resource both as there and as removed. */
function checkPushes(received: readonly Uint8Array[]): void {
  for (const bytes of received) {
    const { resources, removedResources } = fromBinary(ResourcesSchema, bytes);
    const names = new Set(resources.map(({ metadata }) => metadata?.name));
    promise(!removedResources.some((name) => names.has(name)), "a resource is either there or removed");
  }
}

function requests(...all: readonly MessageInitShape<typeof RequestResourcesSchema>[]): Uint8Array {
  return framed(all.map((init) => toBinary(RequestResourcesSchema, create(RequestResourcesSchema, init))));
}
