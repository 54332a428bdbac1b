import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { envoyDescriptors } from "#gen/envoy/descriptor_set.js";
import { oncePer } from "../../../lib/memo.ts";

/** Every message of Envoy. Parsed when the first patch needs it: a mesh without patches does not pay for it. */
export function envoyRegistry(): FileRegistry {
  return registryOf(envoyDescriptors);
}

const registryOf = oncePer(({ base64 }: typeof envoyDescriptors) =>
  createFileRegistry(fromBinary(FileDescriptorSetSchema, base64Decode(base64))),
);
