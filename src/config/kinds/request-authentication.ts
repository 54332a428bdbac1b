import { create } from "@bufbuild/protobuf";
import {
  type JWTRule,
  JWTRule_Presence as Presence,
  type RequestAuthentication,
  RequestAuthenticationSchema,
} from "#gen/istio/security/v1beta1/request_authentication_pb.js";
import { isMapping } from "../../lib/is-mapping.ts";
import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { positiveDuration } from "../rules/amount.ts";
import { attachment } from "../rules/attachment.ts";
import { headerName, plainHeaderName } from "../rules/headers.ts";
import { keySet, keySetUri } from "../rules/jwks.ts";
import { readableAttachment } from "../rules/readable-attachment.ts";
import { noEmptyTexts, someText } from "../rules/text.ts";
import { security, securityCollection } from "./api-groups.ts";

export const requestAuthentication: Kind<typeof RequestAuthenticationSchema> = {
  ...security,
  kind: "RequestAuthentication",
  plural: "requestauthentications",
  collection: securityCollection("requestauthentications"),
  schema: RequestAuthenticationSchema,
  validate: ({ spec }) => [
    ...attachment(spec),
    ...spec.jwtRules.flatMap((rule, index) => jwtRule(rule, fieldPath("spec.jwtRules", index))),
  ],
  substitute: noTokens,
};

/**
 * No key proves a token of an unusable policy, so its workloads reject every token. If the policy may require a token,
 * they reject requests without one, too.
 */
function noTokens(raw: unknown): RequestAuthentication {
  const presence = mayRequireToken(raw) ? Presence.REQUIRED : Presence.OPTIONAL;
  const jwtRules = [{ issuer: "unusable.invalid", jwks: '{"keys":[]}', presence }];
  return create(RequestAuthenticationSchema, { ...readableAttachment(raw), jwtRules });
}

function mayRequireToken(raw: unknown): boolean {
  const rules = isMapping(raw) ? (raw["jwtRules"] ?? raw["jwt_rules"]) : undefined;
  if (!Array.isArray(rules)) return true;
  return rules.some((rule: unknown) => !isMapping(rule) || (rule["presence"] ?? "OPTIONAL") !== "OPTIONAL");
}

function jwtRule(rule: JWTRule, path: string): readonly Finding[] {
  return [
    // Since Istio 1.22 the issuer may be empty if the keys are set, for clients whose tokens have no issuer.
    ...(rule.jwksUri === "" ? someText(rule.issuer, `${path}.issuer`, "the issuer of the tokens") : []),
    ...noEmptyTexts(rule.audiences, `${path}.audiences`),
    ...keySetUri(rule.jwksUri, `${path}.jwksUri`),
    ...keySet(rule.jwks, `${path}.jwks`),
    ...errorUnless(rule.jwksUri === "" || rule.jwks === "", path, {
      code: "conflicting-fields",
      message: "only one of jwks and jwksUri may be set",
    }),
    ...rule.fromHeaders.flatMap(({ name }, index) => headerName(name, fieldPath(path, "fromHeaders", index, "name"))),
    ...noEmptyTexts(rule.fromParams, `${path}.fromParams`),
    ...noEmptyTexts(rule.fromCookies, `${path}.fromCookies`),
    ...noEmptyTexts(rule.spaceDelimitedClaims, `${path}.spaceDelimitedClaims`),
    ...claims(rule, `${path}.outputClaimToHeaders`),
    ...positiveDuration(rule.timeout, `${path}.timeout`),
  ];
}

function claims({ outputClaimToHeaders }: JWTRule, path: string): readonly Finding[] {
  return outputClaimToHeaders.flatMap(({ claim, header }, index) => [
    ...someText(claim, fieldPath(path, index, "claim"), "a claim"),
    ...plainHeaderName(header, fieldPath(path, index, "header")),
  ]);
}
