import { type InstanceSelector, parseInstanceSelector } from "../../galley/source/registry/instance-selector.ts";
import type { RegistryStateOptions, Retention } from "../../galley/source/registry/registry-state.ts";
import { durationMs, oneOf, onOff, type ValueType } from "../options/option-values.ts";
import type { QueryTypes } from "./source-url.ts";

/** Query settings of all registry URLs. */
export interface RegistryQuery {
  readonly delete: Retention["deleteMode"];
  readonly "zombie-ttl": number;
  readonly "empty-protection": boolean;
  readonly "endpoint-selectors": InstanceSelector;
}

const instanceSelector: ValueType<InstanceSelector> = {
  placeholder: "SELECTOR",
  expected: "a selector such as env=prod,-10.9.0.0/16",
  parse: (texts) => parseInstanceSelector(texts.at(-1) ?? ""),
};

export const registryQuery: QueryTypes<RegistryQuery> = {
  delete: oneOf(["empty", "delete"]),
  "zombie-ttl": durationMs,
  "empty-protection": onOff,
  "endpoint-selectors": instanceSelector,
};

/** The settings for the source, without those that the URL omits. */
export function registrySettings(
  query: Partial<RegistryQuery>,
): Partial<Pick<RegistryStateOptions, keyof Retention | "selector">> {
  const { delete: deleteMode, "zombie-ttl": zombieTtlMs, "empty-protection": emptyProtection } = query;
  const { "endpoint-selectors": selector } = query;
  return {
    ...(deleteMode !== undefined && { deleteMode }),
    ...(zombieTtlMs !== undefined && { zombieTtlMs }),
    ...(emptyProtection !== undefined && { emptyProtection }),
    ...(selector !== undefined && { selector }),
  };
}
