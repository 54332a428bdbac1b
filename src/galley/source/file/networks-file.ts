import { meshNetworks } from "../../../config/kinds/mesh-networks.ts";
import { parseMeshNetworks } from "../../../config/parse/mesh-networks.ts";
import { type MessageFileOptions, messageFileSource } from "./message-file.ts";
import type { ReloadingSource } from "./reloading-source.ts";

/** The file of `--networks`: the one MeshNetworks of the mesh. */
export function networksFileSource(options: MessageFileOptions): ReloadingSource {
  const { collection } = meshNetworks;
  return messageFileSource({ scheme: "networks", collection, parse: parseMeshNetworks }, options);
}
