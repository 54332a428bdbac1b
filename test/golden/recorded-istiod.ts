import { create, fromBinary, fromJson, type JsonObject, type Registry, toBinary } from "@bufbuild/protobuf";
import {
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "../../gen/envoy/service/discovery/v3/discovery_pb.js";
import { McpWire } from "../../src/testing/mcp/mcp-wire.ts";

/** One entry of a recorded conversation, from the recorder's side. */
export interface RecordedMessage {
  readonly note?: string;
  readonly sent?: JsonObject & { readonly typeUrl: string };
  readonly received?: JsonObject & { readonly typeUrl: string };
}

/** Answers as istiod did: by type, the responses of each of its pushes. */
export class RecordedIstiod {
  readonly requests: DiscoveryRequest[] = [];
  readonly #pushes: readonly ReadonlyMap<string, DiscoveryResponse>[];
  wire = new McpWire();

  constructor(session: readonly RecordedMessage[], registry: Registry) {
    const pushes = new Map<string, Map<string, DiscoveryResponse>>();
    for (const { received } of session) {
      if (received === undefined) continue;
      const response = fromJson(DiscoveryResponseSchema, received, { registry });
      const push = pushes.get(response.versionInfo) ?? new Map<string, DiscoveryResponse>();
      pushes.set(response.versionInfo, push.set(response.typeUrl, response));
    }
    this.#pushes = [...pushes.values()];
  }

  /** A new stream, on which requests without a nonce are answered with what is in one of the pushes. */
  open(push: number): McpWire["sink"] {
    this.wire = new McpWire();
    this.wire.source.attach({
      onMessage: (bytes) => {
        const request = fromBinary(DiscoveryRequestSchema, bytes);
        this.requests.push(request);
        if (request.responseNonce === "") this.#answer(push, request.typeUrl);
      },
      onFlushed: () => undefined,
      onClose: () => undefined,
    });
    return this.wire.sink;
  }

  /** Sends all of a push, as istiod does for any change. */
  push(index: number): void {
    for (const typeUrl of this.#pushes[index]?.keys() ?? []) this.#answer(index, typeUrl);
    this.wire.settle();
  }

  #answer(push: number, typeUrl: string): void {
    const version = { versionInfo: "v", nonce: `v${this.requests.length}` };
    const response = this.#pushes[push]?.get(typeUrl) ?? create(DiscoveryResponseSchema, { typeUrl, ...version });
    this.wire.source.send(toBinary(DiscoveryResponseSchema, response), []);
  }
}
