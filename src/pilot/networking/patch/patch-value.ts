import { type DescMessage, fromJson, type Message } from "@bufbuild/protobuf";
import { oncePer } from "../../../lib/memo.ts";
import type { EnvoyPatch, PatchTarget } from "../../model/policy/envoy-patch.ts";
import { envoyRegistry } from "./envoy-registry.ts";
import { inspectValue } from "./inspect-value.ts";
import { unreadableField } from "./unreadable-field.ts";

/** The value of a patch as Envoy's message. */
export type PatchValue =
  | {
      readonly type: "message";
      readonly desc: DescMessage;
      readonly message: Message;
      /** Fields of the value without an effect, each with its reason. */
      readonly remarks: readonly string[];
    }
  /** REMOVE has no value. */
  | { readonly type: "none" }
  | { readonly type: "invalid"; readonly path: string; readonly reason: string };

const typeNames: Readonly<Record<PatchTarget, string>> = {
  CLUSTER: "envoy.config.cluster.v3.Cluster",
  LISTENER: "envoy.config.listener.v3.Listener",
  LISTENER_FILTER: "envoy.config.listener.v3.ListenerFilter",
  FILTER_CHAIN: "envoy.config.listener.v3.FilterChain",
  NETWORK_FILTER: "envoy.config.listener.v3.Filter",
  HTTP_FILTER: "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter",
  ROUTE_CONFIGURATION: "envoy.config.route.v3.RouteConfiguration",
  VIRTUAL_HOST: "envoy.config.route.v3.VirtualHost",
  HTTP_ROUTE: "envoy.config.route.v3.Route",
  EXTENSION_CONFIG: "envoy.config.core.v3.TypedExtensionConfig",
  BOOTSTRAP: "envoy.config.bootstrap.v3.Bootstrap",
};

/**
 * Reads the value of a patch, once. Fields that Binnacle does not know are left out and reported, because a patch may be
 * written for a newer Envoy.
 */
export const patchValueOf: (patch: EnvoyPatch) => PatchValue = oncePer((patch: EnvoyPatch): PatchValue => {
  const { target, operation, value } = patch;
  if (operation === "REMOVE") return { type: "none" };
  if (value === undefined) return { type: "invalid", path: "", reason: "the patch has no value" };
  const registry = envoyRegistry();
  const desc = registry.getMessage(typeNames[target]);
  if (desc === undefined) return { type: "invalid", path: "", reason: `${target} cannot be patched` };
  const { unknownType, remarks } = inspectValue(desc, value, operation);
  if (unknownType !== undefined) return { type: "invalid", ...unknownType };
  const unreadable = unreadableField(desc, value);
  if (unreadable !== undefined) return { type: "invalid", ...unreadable };
  const message = fromJson(desc, value, { registry, ignoreUnknownFields: true });
  return { type: "message", desc, message, remarks };
});
