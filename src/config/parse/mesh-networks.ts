import type { MeshNetworksSchema } from "#gen/istio/mesh/v1alpha1/network_pb.js";
import { meshNetworks } from "../kinds/mesh-networks.ts";
import { type MessageText, type ParsedMessage, parseMessageFile } from "./message-file.ts";

/** Reads a file with the networks of a mesh: their endpoints and their gateways. Never throws. */
export function parseMeshNetworks(input: MessageText): ParsedMessage<typeof MeshNetworksSchema> {
  return parseMessageFile({ kind: meshNetworks, name: "networks" }, input);
}
