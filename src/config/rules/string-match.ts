import type { StringMatch } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { errorUnless, type Finding } from "../finding.ts";
import { regex } from "./regex.ts";

/** A regular expression must compile. Any other text is valid, also an empty one. */
export function stringMatch(match: StringMatch | undefined, path: string): readonly Finding[] {
  return match?.matchType.case === "regex" ? regex(match.matchType.value, `${path}.regex`) : [];
}

/** Like {@link stringMatch}, for fields where Envoy refuses an empty prefix: all except paths. */
export function textMatch(match: StringMatch | undefined, path: string): readonly Finding[] {
  const isEmpty = match?.matchType.case === "prefix" && match.matchType.value === "";
  return [
    ...stringMatch(match, path),
    ...errorUnless(!isEmpty, `${path}.prefix`, {
      code: "empty-value",
      message: "an empty prefix matches everything",
      hint: "remove the condition to match everything",
    }),
  ];
}
