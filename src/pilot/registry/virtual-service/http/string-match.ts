import type { StringMatch as IstioStringMatch } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { StringMatch } from "../../../model/traffic/string-match.ts";

/**
 * A match that any text fulfils asks for presence: an empty one, an empty prefix, and the regex `*`, which is none but
 * was always written for it.
 */
export function stringMatchOf({ matchType }: IstioStringMatch): StringMatch {
  if (matchType.case === undefined) return { type: "present" };
  if (matchType.case === "prefix" && matchType.value === "") return { type: "present" };
  if (matchType.case === "regex" && matchType.value === "*") return { type: "present" };
  return { type: matchType.case, value: matchType.value };
}
