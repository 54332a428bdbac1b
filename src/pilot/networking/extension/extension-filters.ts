import { ExtensionConfigSourceSchema } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { LuaSchema } from "#gen/envoy/extensions/filters/http/lua/v3/lua_pb.js";
import { RBACSchema as HttpRbacSchema } from "#gen/envoy/extensions/filters/http/rbac/v3/rbac_pb.js";
import { WasmSchema as HttpWasmSchema } from "#gen/envoy/extensions/filters/http/wasm/v3/wasm_pb.js";
import { RBACSchema as NetworkRbacSchema } from "#gen/envoy/extensions/filters/network/rbac/v3/rbac_pb.js";
import { WasmSchema as NetworkWasmSchema } from "#gen/envoy/extensions/filters/network/wasm/v3/wasm_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Extension, ExtensionPhase, LuaScript, WasmModule } from "../../model/policy/extension.ts";
import { extensionsIn } from "../../model/policy/extension-order.ts";
import { canRun, layerOf } from "../../model/policy/extension-support.ts";
import { adsSource } from "../ads-source.ts";
import type { FilterMessage, FilterSource, NetworkContext } from "../filters/filter.ts";
import { placeholder } from "./placeholder.ts";

type Layer = WasmModule["layer"];

/** The HTTP filters of the extensions of a phase. */
export function httpExtensions(phase: ExtensionPhase): FilterSource {
  return (context, writer) => filtersOf(phase, "http", context, writer);
}

/** The network filters of the extensions of a phase. */
export function networkExtensions(phase: ExtensionPhase): FilterSource<NetworkContext> {
  return (context, writer) => (context.carries === "nothing" ? [] : filtersOf(phase, "network", context, writer));
}

function filtersOf(
  phase: ExtensionPhase,
  layer: Layer,
  { policies, mesh, capabilities }: Omit<NetworkContext, "carries">,
  writer: ProtoWriter,
): readonly FilterMessage[] {
  return extensionsIn(phase, policies, mesh)
    .filter((extension) => layerOf(extension) === layer)
    .map((extension) => ({
      name: extension.resourceName,
      configType: canRun(extension, capabilities)
        ? configOf(extension, writer)
        : { case: "typedConfig", value: placeholder(extension, writer) },
    }));
}

/** A script is part of the listener. A module is not: its configuration may change without a change of the listener. */
function configOf({ filter }: Extension, writer: ProtoWriter): FilterMessage["configType"] {
  if (filter.type === "wasm") return { case: "configDiscovery", value: discoveryOf([writer], filter.layer) };
  return { case: "typedConfig", value: scriptOf([filter, writer]) };
}

const scriptOf = memoize(([{ code }, writer]: readonly [LuaScript, ProtoWriter]) =>
  writer.any(LuaSchema, { defaultSourceCode: { specifier: { case: "inlineString", value: code } } }),
);

/**
 * The filter gets its configuration by ECDS, and the listener waits for it: it may be what authenticates requests.
 * Where the module is not available, an RBAC filter takes its place.
 */
const discoveryOf = memoize(([writer]: readonly [ProtoWriter], layer: Layer) =>
  writer.encode(ExtensionConfigSourceSchema, {
    configSource: adsSource,
    typeUrls: typesOf(layer).map(({ typeName }) => `type.googleapis.com/${typeName}`),
  }),
);

function typesOf(layer: Layer) {
  return layer === "http" ? [HttpWasmSchema, HttpRbacSchema] : [NetworkWasmSchema, NetworkRbacSchema];
}
