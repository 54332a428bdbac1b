import { TypedExtensionConfigSchema } from "#gen/envoy/config/core/v3/extension_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Extension } from "../../model/policy/extension.ts";
import { canLoad, type ExtensionClient } from "../../model/policy/extension-support.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";
import { placeholder } from "./placeholder.ts";
import { wasmConfig } from "./wasm-config.ts";

/** The ECDS resource of an extension; undefined for a script, which is part of the listener. */
export function buildExtensionConfig(
  extension: Extension,
  { fetches }: Pick<ExtensionClient, "fetches">,
  writer: ProtoWriter,
): Resource | undefined {
  return buildConfig([extension, writer], { fetches });
}

const buildConfig = memoize(
  (
    [extension, writer]: readonly [Extension, ProtoWriter],
    client: { readonly fetches: boolean },
  ): Resource | undefined => {
    const { resourceName: name, filter, owner } = extension;
    if (filter.type === "lua") return undefined;
    const typedConfig = canLoad(extension, client)
      ? wasmConfig(extension, filter, "", writer)
      : placeholder(extension, writer);
    return makeResource({ name, any: writer.any(TypedExtensionConfigSchema, { name, typedConfig }), owners: [owner] });
  },
);
