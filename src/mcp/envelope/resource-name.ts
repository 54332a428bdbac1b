import { configKey } from "../../config/config.ts";
import type { McpCollection } from "../collections.ts";

/** The wire name of an object: `namespace/name`, or the bare name without a namespace. */
export function resourceName(
  config: { readonly namespace: string; readonly name: string },
  { renamed }: Pick<McpCollection, "renamed">,
): string {
  const key = configKey(config);
  return key === renamed?.key ? renamed.wireName : key;
}

/**
 * The object that a wire name refers to. There are three forms (WIRE-1): `namespace/name`, `name` and `/name`. MCP over
 * xDS writes the second form as `/name`. Undefined for everything else.
 */
export function readResourceName(
  wireName: string,
  { renamed }: Pick<McpCollection, "renamed">,
): { readonly namespace: string; readonly name: string } | undefined {
  if (wireName === renamed?.wireName) return { namespace: "", name: renamed.key };
  const [first = "", second, ...more] = wireName.split("/");
  if (more.length > 0) return undefined;
  const [namespace, name] = second === undefined ? ["", first] : [first, second];
  return name === "" ? undefined : { namespace, name };
}
