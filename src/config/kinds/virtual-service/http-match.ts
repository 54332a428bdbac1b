import type { HTTPMatchRequest, StringMatch } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding, warning } from "../../finding.ts";
import { isDnsLabel } from "../../grammar/names.ts";
import { gatewayReferences } from "../../rules/gateway-references.ts";
import { matchedHeaderName } from "../../rules/headers.ts";
import { labelMap } from "../../rules/labels.ts";
import { optionalPortNumber } from "../../rules/port.ts";
import { stringMatch, textMatch } from "../../rules/string-match.ts";
import { shortText, someText } from "../../rules/text.ts";

/** Longer names of query parameters make Envoy reject the whole route configuration. */
const maxParameterBytes = 1_024;

/** One alternative of a route's conditions. */
export function httpMatch(match: HTTPMatchRequest, path: string): readonly Finding[] {
  const { sourceNamespace } = match;
  return [
    ...stringMatch(match.uri, `${path}.uri`),
    ...(["scheme", "method", "authority"] as const).flatMap((field) => textMatch(match[field], fieldPath(path, field))),
    ...headerMatches(match.headers, `${path}.headers`),
    ...headerMatches(withoutPresence(match.withoutHeaders), `${path}.withoutHeaders`),
    ...Object.entries(match.queryParams).flatMap(([name, value]) => [
      ...someText(name, `${path}.queryParams`, "the name of a query parameter"),
      ...shortText(name, `${path}.queryParams`, maxParameterBytes),
      ...textMatch(value, fieldPath(path, "queryParams", name)),
    ]),
    ...optionalPortNumber(match.port, `${path}.port`),
    ...labelMap(match.sourceLabels, `${path}.sourceLabels`),
    ...gatewayReferences(match.gateways, `${path}.gateways`),
    ...errorUnless(sourceNamespace === "" || isDnsLabel(sourceNamespace), `${path}.sourceNamespace`, {
      code: "bad-namespace",
      message: `"${sourceNamespace}" cannot name a namespace`,
    }),
    ...ignoredCase(match, path),
  ];
}

function headerMatches(headers: Readonly<Record<string, StringMatch>>, path: string): readonly Finding[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const at = fieldPath(path, name);
    return [...matchedHeaderName(name, at), ...textMatch(value, at)];
  });
}

/** For a header that must be absent, people write `regex: "*"`, which is not a valid expression. */
function withoutPresence(headers: HTTPMatchRequest["withoutHeaders"]): HTTPMatchRequest["withoutHeaders"] {
  return Object.fromEntries(Object.entries(headers).filter(([, { matchType }]) => matchType.value !== "*"));
}

function ignoredCase(match: HTTPMatchRequest, path: string): readonly Finding[] {
  if (!match.ignoreUriCase || match.uri?.matchType.case !== "regex") return [];
  const message = "ignoreUriCase has no effect on a regular expression";
  return [
    warning(`${path}.ignoreUriCase`, { code: "useless-field", message, hint: 'start the expression with "(?i)"' }),
  ];
}
