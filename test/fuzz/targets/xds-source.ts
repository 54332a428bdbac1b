import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { gateways, serviceEntries } from "../../../src/testing/mcp/mcp-source-rig.ts";
import { istioEnvelope, resource, XdsSinkRig } from "../../../src/testing/mcp-over-xds/xds-sink-rig.ts";
import { framed, messagesIn } from "../frames.ts";
import { checkReason, promise } from "../oracle.ts";
import { stateOf } from "../received-state.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const gateway = "networking.istio.io/v1/Gateway";
const entry = "networking.istio.io/v1/ServiceEntry";
const controlPlane = { identifier: '{"Component":"istiod","Info":{"version":"1.24"}}' };

/** Responses of another control plane to `xds://`. The same bytes are read as both variants of the protocol. */
export const target: FuzzTarget = {
  name: "xds-source",
  mode: "async",
  seeds: () => [
    sotw({
      typeUrl: gateway,
      nonce: "1",
      resources: [resource(gateways, "shop/with-a-long-name"), resource(gateways, "shop/b")],
    }),
    sotw(
      {
        typeUrl: entry,
        nonce: "1",
        controlPlane,
        resources: [istioEnvelope(serviceEntries, "shop/e", { hosts: ["e"] })],
      },
      { typeUrl: entry, nonce: "2", resources: [] },
    ),
    delta(
      {
        typeUrl: gateway,
        nonce: "1",
        resources: [{ name: "shop/a", version: "1", resource: resource(gateways, "shop/a") }],
      },
      { typeUrl: gateway, nonce: "2", removedResources: ["shop/a", "x"] },
    ),
  ],
  words: [...inheritedNames, gateway, entry, "type.googleapis.com/istio.mcp.v1alpha1.Resource", "shop/a"],
  planted: {
    file: "src/mcp/xds/sink/open-resource.ts",
    before: "  const own = resource.metadata?.name",
    text: 'Buffer.from(value).toString("latin1")',
  },
  check: async (input) => {
    for (const mode of ["sotw", "delta"] as const) {
      const rig = await XdsSinkRig.start(mode, [gateways, serviceEntries]);
      rig.requests();
      for (const message of messagesIn(input)) {
        const before = stateOf(rig.heard);
        rig.wire.source.send(message, []);
        promise(rig.requests().length <= 3, "a message has a bounded number of answers");
        const rejected = rig.observer.nacks.splice(0).filter((nack) => nack.rejected.length === 0);
        rejected.forEach(({ message: reason }) => checkReason(reason));
        if (rejected.length > 0) promise(stateOf(rig.heard) === before, "a rejected message changes nothing");
        if (!rig.wire.sink.closed) continue;
        rig.clock.advance(60_000);
        rig.requests();
      }
      await rig.source.stop();
      promise(rig.clock.pending === 0, "nothing is left of a stopped source");
    }
  },
};

function sotw(...all: readonly MessageInitShape<typeof DiscoveryResponseSchema>[]): Uint8Array {
  return framed(all.map((init) => toBinary(DiscoveryResponseSchema, create(DiscoveryResponseSchema, init))));
}

function delta(...all: readonly MessageInitShape<typeof DeltaDiscoveryResponseSchema>[]): Uint8Array {
  const schema = DeltaDiscoveryResponseSchema;
  return framed(all.map((init) => toBinary(schema, create(schema, init))));
}
