import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { errorUnless, type Finding } from "../../finding.ts";
import { headerText, isAuthority } from "../../rules/headers.ts";
import { regex, substitution } from "../../rules/regex.ts";
import { someText } from "../../rules/text.ts";

/** Checks changes of a request before forwarding, except header changes. */
export function rewriteRules(route: HTTPRoute, path: string): readonly Finding[] {
  return [...uriRewrite(route, `${path}.rewrite`), ...oneAuthority(route, path)];
}

function uriRewrite({ rewrite }: HTTPRoute, path: string): readonly Finding[] {
  if (rewrite === undefined) return [];
  const { uri, authority, uriRegexRewrite } = rewrite;
  const byRegex = `${path}.uriRegexRewrite`;
  return [
    ...headerText(uri, `${path}.uri`),
    ...headerText(authority, `${path}.authority`),
    ...errorUnless(uri !== "" || authority !== "" || uriRegexRewrite !== undefined, path, {
      code: "empty-rewrite",
      message: "a rewrite needs uri, authority or uriRegexRewrite",
    }),
    ...errorUnless(uri === "" || uriRegexRewrite === undefined, path, {
      code: "conflicting-fields",
      message: "only one of uri and uriRegexRewrite may be set",
    }),
    ...(uriRegexRewrite === undefined ? [] : regex(uriRegexRewrite.match, `${byRegex}.match`)),
    ...(uriRegexRewrite === undefined
      ? []
      : [
          ...someText(uriRegexRewrite.rewrite, `${byRegex}.rewrite`, "the new path"),
          ...headerText(uriRegexRewrite.rewrite, `${byRegex}.rewrite`),
          ...substitution(uriRegexRewrite.rewrite, uriRegexRewrite.match, `${byRegex}.rewrite`),
        ]),
  ];
}

/** Envoy rewrites the authority once. */
function oneAuthority({ rewrite, headers }: HTTPRoute, path: string): readonly Finding[] {
  const { set = {}, add = {} } = headers?.request ?? {};
  const named = [...Object.keys(set), ...Object.keys(add)].filter(isAuthority);
  const ways = named.length + Number((rewrite?.authority ?? "") !== "");
  return errorUnless(ways <= 1, `${path}.headers.request`, {
    code: "conflicting-fields",
    message: "only one of rewrite.authority and one Host header may be set",
  });
}
