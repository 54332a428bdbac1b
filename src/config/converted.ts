import type { Config } from "./config.ts";

/** The annotation of policies that were made from a legacy object. It names that object. */
export const convertedFrom = "binnacle.io/converted-from";

/** Whether the policy was made from a legacy object. A policy that a user wrote goes before it. */
export function isConverted({ annotations }: Pick<Config, "annotations">): boolean {
  return Object.hasOwn(annotations, convertedFrom);
}
