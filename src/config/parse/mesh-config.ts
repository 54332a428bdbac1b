import type { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { meshConfig } from "../kinds/mesh-config.ts";
import { type MessageText, type ParsedMessage, parseMessageFile } from "./message-file.ts";

export type ParsedMeshConfig = ParsedMessage<typeof MeshConfigSchema>;

/** Reads a mesh configuration file. Unset fields get Istio's defaults. Never throws. */
export function parseMeshConfig(input: MessageText): ParsedMeshConfig {
  return parseMessageFile({ kind: meshConfig, name: "mesh" }, input);
}
