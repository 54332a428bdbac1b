import { isMapping } from "../../lib/is-mapping.ts";
import { parseJson } from "../../lib/parse-json.ts";

/**
 * The age of the Istio API of an object, as far as numbers on the wire have changed their meaning. `galley` is a Galley
 * of Istio 1.5 or before. `before-1.14` is an older istiod. The age is determined as follows:
 *
 * - An object with our own annotation comes from a Binnacle, with today's API, over any protocol.
 * - Every other object over MCP's own protocol comes from a Galley of Istio, because nothing else uses it.
 * - An istiod sends its version in each response over xDS.
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
