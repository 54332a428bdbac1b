import type {
  MeshConfig_ExtensionProvider as ExtensionProvider,
  MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationHttpProvider as HttpProvider,
} from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { errorUnless, type Finding } from "../../finding.ts";
import { positiveDuration } from "../../rules/amount.ts";
import { portNumber } from "../../rules/port.ts";
import { someText } from "../../rules/text.ts";

/** The status codes of Envoy's enumeration. It has no other ones. */
const statuses = /^(?:100|20[0-8]|226|30[0-578]|4(?:0\d|1[0-7]|2[1-4689]|31)|50[0-8]|51[01])$/u;

/** Checks the providers that CUSTOM policies name. */
export function extAuthzProvider({ provider }: ExtensionProvider, path: string): readonly Finding[] {
  if (provider.case !== "envoyExtAuthzHttp" && provider.case !== "envoyExtAuthzGrpc") return [];
  const { service, port, statusOnError, timeout, includeRequestBodyInCheck: body } = provider.value;
  const at = `${path}.${provider.case}`;
  return [
    ...someText(service, `${at}.service`, "the service of the provider"),
    ...portNumber(port, `${at}.port`),
    ...(timeout === undefined ? [] : positiveDuration(timeout, `${at}.timeout`)),
    ...errorUnless(statusOnError === "" || statuses.test(statusOnError), `${at}.statusOnError`, {
      code: "bad-status",
      message: `"${statusOnError}" is not a status that Envoy can send`,
    }),
    ...errorUnless(body === undefined || body.maxRequestBytes > 0, `${at}.includeRequestBodyInCheck.maxRequestBytes`, {
      code: "bad-value",
      message: "expected more than 0 bytes",
    }),
    ...(provider.case === "envoyExtAuthzHttp" ? httpFields(provider.value, at) : []),
  ];
}

const headerLists = [
  "includeRequestHeadersInCheck",
  "includeHeadersInCheck",
  "headersToUpstreamOnAllow",
  "headersToDownstreamOnDeny",
  "headersToDownstreamOnAllow",
] as const;

function httpFields(value: HttpProvider, at: string): readonly Finding[] {
  return [
    ...errorUnless(value.pathPrefix === "" || value.pathPrefix.startsWith("/"), `${at}.pathPrefix`, {
      code: "bad-path",
      message: `"${value.pathPrefix}" does not begin with "/"`,
    }),
    ...headerLists.flatMap((field) =>
      errorUnless(!value[field].includes("*") && !value[field].includes(""), `${at}.${field}`, {
        code: "bad-wildcard",
        message: 'a header is a name, or a name with "*" at one end',
      }),
    ),
  ];
}
