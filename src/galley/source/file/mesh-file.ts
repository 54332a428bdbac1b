import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import { parseMeshConfig } from "../../../config/parse/mesh-config.ts";
import { type MessageFileOptions, messageFileSource } from "./message-file.ts";
import type { ReloadingSource } from "./reloading-source.ts";

/** The file of `--mesh`: the one MeshConfig of the mesh. */
export function meshFileSource(options: MessageFileOptions): ReloadingSource {
  const { collection } = meshConfig;
  return messageFileSource({ scheme: "mesh", collection, parse: parseMeshConfig }, options);
}
