import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { istioResource, McpSinkRig } from "../../../src/testing/mcp/mcp-sink-rig.ts";
import { resourcesOf } from "../../../src/testing/mcp/mcp-raw-source.ts";
import { gateways, serviceEntries } from "../../../src/testing/mcp/mcp-source-rig.ts";
import { framed, messagesIn } from "../frames.ts";
import { checkReason, promise } from "../oracle.ts";
import { stateOf } from "../received-state.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

/** Messages of a Galley to our sink. A message that is rejected as a whole changes nothing. */
export const target: FuzzTarget = {
  name: "mcp-sink",
  mode: "async",
  seeds: () => [
    pushes({
      collection: gateways,
      nonce: "1",
      resources: resourcesOf(gateways, { "shop/with-a-long-name": "1", "shop/b": "2" }),
    }),
    pushes(
      { collection: serviceEntries, nonce: "1", resources: resourcesOf(serviceEntries, { "shop/a": "1" }) },
      { collection: serviceEntries, nonce: "2", incremental: true, removedResources: ["shop/a"] },
      { collection: gateways, nonce: "3", resources: [istioResource(gateways, "shop/g", { servers: [] })] },
    ),
    pushes({
      collection: gateways,
      nonce: "1",
      resources: [istioResource(gateways, "shop/g", { selector: { app: "long-name.".repeat(20) }, servers: [] })],
    }),
    pushes({ collection: "x", nonce: "1" }, { collection: "core/trigger" }, { collection: gateways }),
  ],
  words: [...inheritedNames, gateways, serviceEntries, "shop/a"],
  planted: {
    file: "src/mcp/envelope/open-envelope.ts",
    before: "  const id = readResourceName(wireName, collection);",
    text: 'Buffer.from(body?.value ?? []).toString("latin1")',
  },
  check: async (input) => {
    const rig = await McpSinkRig.start(gateways, serviceEntries);
    rig.requests();
    for (const message of messagesIn(input)) {
      const before = stateOf(rig.heard);
      rig.wire.source.send(message, []);
      const answers = rig.requests();
      const rejected = rig.observer.nacks.splice(0).filter((nack) => nack.rejected.length === 0);
      rejected.forEach(({ message: reason }) => checkReason(reason));
      if (rejected.length > 0) promise(stateOf(rig.heard) === before, "a rejected message changes nothing");
      promise(answers.length <= 2, "a message has one answer, and perhaps a new subscription");
      if (!rig.wire.sink.closed) continue;
      rig.clock.advance(60_000);
      rig.requests();
    }
    await rig.source.stop();
    promise(rig.clock.pending === 0, "nothing is left of a stopped source");
  },
};

function pushes(...all: readonly MessageInitShape<typeof ResourcesSchema>[]): Uint8Array {
  return framed(all.map((init) => toBinary(ResourcesSchema, create(ResourcesSchema, init))));
}
