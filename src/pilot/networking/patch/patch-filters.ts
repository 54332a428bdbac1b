import { fromBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import {
  type Filter,
  type FilterChain,
  FilterSchema,
  ListenerFilterSchema,
} from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import {
  type HttpConnectionManager,
  HttpConnectionManagerSchema,
  HttpFilterSchema,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { EnvoyPatch } from "../../model/policy/envoy-patch.ts";
import { httpFilterMatch, matchesChain, matchesListener, named, networkFilterMatch } from "./match/match-listener.ts";
import { mergeAny, packed, typeNameOf } from "./merge-any.ts";
import { patchList } from "./patch-list.ts";
import { copyOf, type PatchRun } from "./patch-run.ts";

const managerName = "envoy.filters.network.http_connection_manager";

/** Patches the network filters of a chain: first their list, then each filter and the HTTP filters in it. */
export function patchNetworkFilters(listener: Listener, chain: FilterChain, run: PatchRun): void {
  const isHere = (patch: EnvoyPatch) => matchesListener(patch, listener) && matchesChain(patch, listener, chain);
  const patches = run.for("NETWORK_FILTER").filter(isHere);
  for (const patch of patches) {
    run.step(patch, chain, () => {
      const { operation } = patch;
      const isMatch = named(networkFilterMatch(patch));
      const filters = patchList(chain.filters, { operation, isMatch, value: () => copyOf(patch, FilterSchema) });
      if (filters === undefined) return false;
      chain.filters = filters;
      return true;
    });
  }
  const ofHttp = run.for("HTTP_FILTER").filter(isHere);
  for (const filter of chain.filters) {
    for (const patch of patches) mergeFilter(patch, filter, networkFilterMatch(patch), run);
    if (ofHttp.length > 0 && filter.name === managerName) patchHttpFilters(filter, ofHttp, run);
  }
}

function patchHttpFilters(filter: Filter, candidates: readonly EnvoyPatch[], run: PatchRun): void {
  const patches = candidates.filter((patch) => (networkFilterMatch(patch) ?? filter.name) === filter.name);
  const manager = managerIn(filter);
  if (manager === undefined || patches.length === 0) return;
  for (const patch of patches) {
    run.step(patch, manager, () => {
      const { operation } = patch;
      const isMatch = named(httpFilterMatch(patch));
      const filters = patchList(manager.httpFilters, {
        operation,
        isMatch,
        value: () => copyOf(patch, HttpFilterSchema),
      });
      if (filters === undefined) return false;
      manager.httpFilters = filters;
      return true;
    });
  }
  for (const each of manager.httpFilters) {
    for (const patch of patches) mergeFilter(patch, each, httpFilterMatch(patch), run);
  }
  setManager(filter, manager, run);
}

/** The HTTP connection manager in a network filter; undefined for every other filter. */
export function managerIn({ configType }: Filter): HttpConnectionManager | undefined {
  if (configType.case !== "typedConfig") return undefined;
  if (typeNameOf(configType.value) !== HttpConnectionManagerSchema.typeName) return undefined;
  return fromBinary(HttpConnectionManagerSchema, configType.value.value);
}

export function setManager(filter: Filter, manager: HttpConnectionManager, { writer, trace }: PatchRun): void {
  trace.enclose(filter, manager);
  const value = writer.encode(HttpConnectionManagerSchema, manager);
  filter.configType = { case: "typedConfig", value: packed(typeUrlOf(HttpConnectionManagerSchema.typeName), value) };
}

function typeUrlOf(typeName: string): string {
  return `type.googleapis.com/${typeName}`;
}

/** A filter of any sort: its configuration is an Any. */
interface NamedFilter {
  name: string;
  configType: { case: "typedConfig"; value: Any } | { case: string | undefined; value?: unknown };
}

/** Merges the configuration of a filter. A patch may rename it. Filters without an own configuration stay. */
export function mergeFilter(patch: EnvoyPatch, filter: NamedFilter, name: string | undefined, run: PatchRun): void {
  if (patch.operation !== "MERGE" || (name !== undefined && name !== filter.name)) return;
  run.step(patch, filter, () => {
    const config = anyIn(filter);
    if (config === undefined) return false;
    const source = valueOf(patch);
    const own = anyIn(source);
    if (own !== undefined) filter.configType = { case: "typedConfig", value: mergeAny(config, own, run.writer) };
    if (source.name !== "") filter.name = source.name;
    return true;
  });
}

function anyIn({ configType }: NamedFilter): Any | undefined {
  return configType.case === "typedConfig" ? (configType.value as Any) : undefined;
}

function valueOf(patch: EnvoyPatch): NamedFilter {
  if (patch.target === "HTTP_FILTER") return copyOf(patch, HttpFilterSchema);
  return patch.target === "LISTENER_FILTER" ? copyOf(patch, ListenerFilterSchema) : copyOf(patch, FilterSchema);
}
