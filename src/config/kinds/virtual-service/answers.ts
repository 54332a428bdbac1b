import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { error, errorUnless, type Finding, type Remark, warning } from "../../finding.ts";
import { headerText } from "../../rules/headers.ts";
import { portNumber } from "../../rules/port.ts";
import { allowedText } from "../../rules/text.ts";

/** Checks a redirect of the client. */
export function redirectRules({ redirect, match }: HTTPRoute, path: string): readonly Finding[] {
  if (redirect === undefined) return [];
  const { uri, authority, scheme, prefixRewrite, redirectCode, redirectPort } = redirect;
  const changes =
    uri !== "" || authority !== "" || scheme !== "" || prefixRewrite !== "" || redirectPort.case !== undefined;
  const hasOtherMatch = match.some((each) => each.uri !== undefined && each.uri.matchType.case !== "prefix");
  return [
    ...headerText(uri, `${path}.uri`),
    ...headerText(authority, `${path}.authority`),
    ...headerText(prefixRewrite, `${path}.prefixRewrite`),
    ...errorUnless(changes, path, { code: "empty-redirect", message: "a redirect must change something" }),
    ...errorUnless(uri === "" || prefixRewrite === "", path, {
      code: "conflicting-fields",
      message: "only one of uri and prefixRewrite may be set",
    }),
    ...errorUnless(prefixRewrite === "" || !hasOtherMatch, `${path}.prefixRewrite`, {
      code: "bad-match",
      message: "prefixRewrite needs matches by uri prefix only",
    }),
    ...errorUnless(redirectCode === 0 || (redirectCode >= 300 && redirectCode <= 399), `${path}.redirectCode`, {
      code: "bad-status",
      message: `redirectCode must be between 300 and 399, not ${redirectCode}`,
    }),
    ...(scheme === "" ? [] : allowedText(scheme, ["http", "https"], `${path}.scheme`)),
    ...(redirectPort.case === "port" && redirectPort.value > 0 ? portNumber(redirectPort.value, `${path}.port`) : []),
  ];
}

const kilobyte = 1024;
const largeBody = 100 * kilobyte;
const maxBody = 1024 * kilobyte;

/** Checks a direct response of the proxy. Its body is part of the configuration of every proxy. */
export function directResponseRules({ directResponse }: HTTPRoute, path: string): readonly Finding[] {
  if (directResponse === undefined) return [];
  const { status, body } = directResponse;
  const size = body?.specifier.value?.length ?? 0;
  const large: Remark = { code: "large-body", message: `a body of ${size} bytes goes to every proxy: keep it small` };
  return [
    ...errorUnless(status >= 200 && status <= 599, `${path}.status`, {
      code: "bad-status",
      message: `status must be between 200 and 599, not ${status}`,
    }),
    ...(size > maxBody ? [error(`${path}.body`, large)] : []),
    ...(size > largeBody && size <= maxBody ? [warning(`${path}.body`, large)] : []),
  ];
}
