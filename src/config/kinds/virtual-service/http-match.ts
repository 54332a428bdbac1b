import type { HTTPMatchRequest, StringMatch } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless } from "../../finding.ts";
import type { Finding } from "../../kind.ts";
import { gatewayReferences } from "../../rules/gateways.ts";
import { headerName } from "../../rules/headers.ts";
import { labelMap } from "../../rules/labels.ts";
import { optionalPortNumber } from "../../rules/port.ts";
import { regex } from "../../rules/regex.ts";

/** One alternative of a route's conditions. */
export function httpMatch(match: HTTPMatchRequest, path: string): readonly Finding[] {
  return [
    ...["uri", "scheme", "method", "authority"].flatMap((field) =>
      stringMatch(match[field as "uri" | "scheme" | "method" | "authority"], fieldPath(path, field)),
    ),
    ...headerMatches(match.headers, `${path}.headers`),
    ...headerMatches(match.withoutHeaders, `${path}.withoutHeaders`),
    ...Object.entries(match.queryParams).flatMap(([name, value]) =>
      stringMatch(value, fieldPath(path, "queryParams", name)),
    ),
    ...optionalPortNumber(match.port, `${path}.port`),
    ...labelMap(match.sourceLabels, `${path}.sourceLabels`),
    ...gatewayReferences(match.gateways, `${path}.gateways`),
    ...ignoredCase(match, path),
  ];
}

/** A regular expression must compile. Text may be anything, also empty; in headers an empty match means "present". */
export function stringMatch(match: StringMatch | undefined, path: string): readonly Finding[] {
  return match?.matchType.case === "regex" ? regex(match.matchType.value, `${path}.regex`) : [];
}

function headerMatches(headers: Readonly<Record<string, StringMatch>>, path: string): readonly Finding[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const at = fieldPath(path, name);
    return [...headerName(name, at), ...stringMatch(value, at)];
  });
}

function ignoredCase(match: HTTPMatchRequest, path: string): readonly Finding[] {
  return errorUnless(!match.ignoreUriCase || match.uri?.matchType.case !== "regex", `${path}.ignoreUriCase`, {
    code: "useless-field",
    message: "ignoreUriCase has no effect on a regular expression",
    hint: 'start the expression with "(?i)"',
  });
}
