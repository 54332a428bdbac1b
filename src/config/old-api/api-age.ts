import { isMapping } from "../../lib/is-mapping.ts";
import { parseJson } from "../../lib/parse-json.ts";

/**
 * Which API of Istio's an object was written with, as far as numbers on the wire have changed their meaning since:
 * `galley` for the Galleys that Istio shipped, of 1.5 and before; `before-1.14` for an older istiod. Who knows the age:
 *
 * - An object with our own annotation was written by a Binnacle, with today's API, whatever it travelled by.
 * - Every other object that travels by MCP's own protocol is from a Galley of Istio's: nobody else speaks it.
 * - An istiod names its version in each response over xDS.
 */
export type ApiAge = "galley" | "before-1.14" | "today";

/** The age of a server over xDS, by the identifier of its control plane: a JSON text with its build. */
export function apiAgeOf(identifier: string): ApiAge {
  const said = parseJson(identifier);
  const info = isMapping(said) ? said["Info"] : undefined;
  const version = isMapping(info) ? info["version"] : undefined;
  const { minor } = /^1\.(?<minor>\d+)\b/u.exec(typeof version === "string" ? version : "")?.groups ?? {};
  return minor !== undefined && Number(minor) < 14 ? "before-1.14" : "today";
}
