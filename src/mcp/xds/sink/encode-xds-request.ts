import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Mode } from "../../../xds/mode.ts";
import { type Nack, statusOfNack } from "../../nack.ts";

/** The node of a sink. */
export interface XdsNode {
  readonly id: string;
  readonly metadata: JsonObject;
}

/** A request of a sink. An empty nonce subscribes. The nonce of a response answers that response. */
export interface XdsRequestFields {
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

export function encodeXdsRequest(fields: XdsRequestFields, mode: Mode): Uint8Array {
  return mode === "sotw" ? encodeSotw(fields) : encodeDelta(fields);
}

function encodeSotw({ typeUrl, nonce: responseNonce, version: versionInfo, ...fields }: XdsRequestFields): Uint8Array {
  const message = create(DiscoveryRequestSchema, { typeUrl, responseNonce, versionInfo, ...common(fields) });
  return toBinary(DiscoveryRequestSchema, message);
}

function encodeDelta({ typeUrl, nonce: responseNonce, held = new Map(), ...fields }: XdsRequestFields): Uint8Array {
  const initialResourceVersions = Object.fromEntries<string>(held);
  const message = create(DeltaDiscoveryRequestSchema, {
    typeUrl,
    responseNonce,
    initialResourceVersions,
    ...common(fields),
  });
  return toBinary(DeltaDiscoveryRequestSchema, message);
}

function common({ node, nack }: Pick<XdsRequestFields, "node" | "nack">) {
  return {
    ...(node && { node: { ...node, userAgentName: "binnacle" } }),
    ...(nack && { errorDetail: statusOfNack(nack) }),
  };
}
