import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { type Nack, statusOf } from "../../nack.ts";
import type { Mode } from "./read-response.ts";

/** The node of a sink. */
export interface XdsNode {
  readonly id: string;
  readonly metadata: JsonObject;
}

/** A request of a sink. An empty nonce subscribes. The nonce of a response answers that response. */
export interface XdsSays {
  readonly typeUrl: string;
  readonly nonce: string;
  /** The last accepted version. Empty for none. */
  readonly version: string;
  /** Only in the first message of a stream. */
  readonly node?: XdsNode | undefined;
  /** The versions held from an earlier stream, in the first message of a type. */
  readonly held?: ReadonlyMap<string, string>;
  readonly nack?: Nack;
}

export function encodeRequest(says: XdsSays, mode: Mode): Uint8Array {
  return mode === "sotw" ? encodeSotw(says) : encodeDelta(says);
}

function encodeSotw({ typeUrl, nonce: responseNonce, version: versionInfo, ...says }: XdsSays): Uint8Array {
  const message = create(DiscoveryRequestSchema, { typeUrl, responseNonce, versionInfo, ...common(says) });
  return toBinary(DiscoveryRequestSchema, message);
}

function encodeDelta({ typeUrl, nonce: responseNonce, held = new Map(), ...says }: XdsSays): Uint8Array {
  const initialResourceVersions = Object.fromEntries<string>(held);
  const message = create(DeltaDiscoveryRequestSchema, {
    typeUrl,
    responseNonce,
    initialResourceVersions,
    ...common(says),
  });
  return toBinary(DeltaDiscoveryRequestSchema, message);
}

function common({ node, nack }: Pick<XdsSays, "node" | "nack">) {
  return {
    ...(node && { node: { ...node, userAgentName: "binnacle" } }),
    ...(nack && { errorDetail: statusOf(nack) }),
  };
}
