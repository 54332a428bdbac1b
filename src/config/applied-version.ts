import { oncePer } from "../lib/memo.ts";
import type { Config } from "./config.ts";
import { contentVersion } from "./content-version.ts";
import { kindOf } from "./kinds.ts";
import { hasMessage } from "./spec-json.ts";

/** Written by `kubectl apply`: a copy of the object. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * A hash of the content that the author of an object wrote: the version without fields that a store adds. So a file has
 * the same hash before and after it was applied to a store.
 */
export const appliedVersion = oncePer((config: Config): string => {
  const kind = kindOf(config.apiVersion, config.kind);
  if (kind === undefined || !hasMessage(config, kind.schema)) return config.version;
  const { [lastApplied]: _, ...annotations } = config.annotations;
  return contentVersion({ ...config, annotations, createdAt: 0 }, kind.schema);
});
