import type { Config } from "../../../config/config.ts";
import { kindOf } from "../../../config/kinds.ts";
import { stagedKinds } from "../../../config/rollout/staged-kinds.ts";
import { specJson } from "../../../config/spec-json.ts";
import { guards } from "../guards.ts";

/**
 * Whether a change may arrive in waves. A filter that admits or refuses requests is a policy: proxies of later waves
 * would admit more than its author says.
 */
export function mayStage(stable: Config | undefined, next: Config | undefined): boolean {
  return [stable, next].every((config) => config === undefined || isStageable(config));
}

function isStageable(config: Config): boolean {
  if (!stagedKinds.has(config.kind)) return false;
  const row = kindOf(config.apiVersion, config.kind);
  if (row === undefined) return false;
  return !guards(config.kind, specJson(config, row.schema));
}
