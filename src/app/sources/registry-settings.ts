import { type InstanceSelector, parseInstanceSelector } from "../../galley/source/registry/instance-selector.ts";
import type { RegistryStateOptions, Retention } from "../../galley/source/registry/registry-state.ts";
import { durationMs, oneOf, onOff, type ValueType } from "../option-values.ts";
import type { QueryTypes } from "./source-url.ts";

/** What the URLs of all registries may set. */
export interface RegistryQuery {
  readonly deleteMode: Retention["deleteMode"];
  readonly zombieTtl: number;
  readonly emptyProtection: boolean;
  readonly endpointSelectors: InstanceSelector;
}

const instanceSelector: ValueType<InstanceSelector> = {
  placeholder: "SELECTOR",
  expected: "a selector such as env=prod,-10.9.0.0/16",
  parse: (texts) => parseInstanceSelector(texts.at(-1) ?? ""),
};

export const registryQuery: QueryTypes<RegistryQuery> = {
  deleteMode: oneOf(["empty", "delete"]),
  zombieTtl: durationMs,
  emptyProtection: onOff,
  endpointSelectors: instanceSelector,
};

/** As the source takes them; what the URL leaves out is left out. */
export function registrySettings(
  query: Partial<RegistryQuery>,
): Partial<Pick<RegistryStateOptions, keyof Retention | "selector">> {
  const { deleteMode, zombieTtl, emptyProtection, endpointSelectors } = query;
  return {
    ...(deleteMode !== undefined && { deleteMode }),
    ...(zombieTtl !== undefined && { zombieTtlMs: zombieTtl }),
    ...(emptyProtection !== undefined && { emptyProtection }),
    ...(endpointSelectors !== undefined && { selector: endpointSelectors }),
  };
}
