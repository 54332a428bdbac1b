import type { StringMatch as IstioStringMatch } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { StringMatch } from "../../../model/traffic/virtual-service.ts";

/**
 * A match that accepts every string becomes a presence match. These are an empty match, an empty prefix, and `*` as a
 * regex. The regex `*` is invalid but in common use.
 */
export function stringMatchOf({ matchType }: IstioStringMatch): StringMatch {
  if (matchType.case === undefined) return { type: "present" };
  if (matchType.case === "prefix" && matchType.value === "") return { type: "present" };
  if (matchType.case === "regex" && matchType.value === "*") return { type: "present" };
  return { type: matchType.case, value: matchType.value };
}
