import { TypedExtensionConfigSchema } from "#gen/envoy/config/core/v3/extension_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Credential } from "../../model/credential/credential.ts";
import type { Extension } from "../../model/policy/extension.ts";
import { canLoad, type ExtensionClient } from "../../model/policy/extension-support.ts";
import type { PullSecret } from "../../model/policy/pull-secret.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";
import { placeholder } from "./placeholder.ts";
import { wasmConfig } from "./wasm-config.ts";

/** The ECDS resource of an extension; undefined for a script, which is part of the listener. */
export function buildExtensionConfig(
  extension: Extension,
  { fetches }: Pick<ExtensionClient, "fetches">,
  pull: PullSecret,
  writer: ProtoWriter,
): Resource | undefined {
  const credential = pull.type === "served" ? pull.credential : undefined;
  return buildConfig([extension, writer, credential], { fetches, pull: pull.type });
}

/** Empty for a secret that the proxy does not get. */
function pullConfigIn(credential: Credential | undefined): string {
  return Buffer.from(credential?.pullConfig?.reveal() ?? []).toString();
}

const buildConfig = memoize(
  (
    [extension, writer, credential]: readonly [Extension, ProtoWriter, Credential | undefined],
    client: { readonly fetches: boolean; readonly pull: PullSecret["type"] },
  ): Resource | undefined => {
    const { resourceName: name, filter, owner } = extension;
    if (filter.type === "lua") return undefined;
    const typedConfig = canLoad(extension, client)
      ? wasmConfig(extension, filter, client.pull === "none" ? undefined : pullConfigIn(credential), writer)
      : placeholder(extension, writer);
    return makeResource({ name, any: writer.any(TypedExtensionConfigSchema, { name, typedConfig }), owners: [owner] });
  },
);
