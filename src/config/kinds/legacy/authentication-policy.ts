import { create } from "@bufbuild/protobuf";
import {
  type Jwt,
  type Policy,
  PolicySchema,
  type PortSelector,
  type TargetSelector,
} from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import { isMapping } from "../../../lib/is-mapping.ts";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import { isDnsLabel } from "../../grammar/names.ts";
import type { Kind } from "../../kind.ts";
import { keySet, keySetUri } from "../../rules/jwks.ts";
import { portNumber } from "../../rules/port.ts";
import { noEmptyTexts, someText } from "../../rules/text.ts";

const authentication = {
  group: "authentication.istio.io",
  versions: ["v1alpha1"],
  schema: PolicySchema,
  substitute: denyAll,
} as const;

/**
 * An unusable policy accepts nobody: it requires mutual TLS, and a token that no key proves. The policy `default` is
 * about its whole namespace, even if it has targets by mistake.
 */
function denyAll(raw: unknown, name: string): Policy {
  return create(PolicySchema, {
    targets: name === "default" ? [] : readableTargets(raw),
    peers: [{ params: { case: "mtls", value: {} } }],
    origins: [{ jwt: { issuer: "unusable.invalid", jwks: '{"keys":[]}' } }],
  });
}

/** The targets of an invalid policy, if all are certain; else none, which stands for the whole namespace. */
function readableTargets(raw: unknown): { readonly name: string }[] {
  const targets: unknown = isMapping(raw) ? raw["targets"] : undefined;
  if (!Array.isArray(targets)) return [];
  const names = targets.map((each: unknown) => (isMapping(each) ? each["name"] : undefined));
  const certain = names.filter((name) => typeof name === "string" && isDnsLabel(name));
  return certain.length === names.length ? certain.map((name) => ({ name: String(name) })) : [];
}

/** Authentication of a namespace or of some services, before PeerAuthentication and RequestAuthentication. */
export const policy: Kind<typeof PolicySchema> = {
  ...authentication,
  kind: "Policy",
  plural: "policies",
  scope: "namespace",
  collection: "k8s/authentication.istio.io/v1alpha1/policies",
  validate: ({ name, spec }) => [
    ...errorUnless((name === "default") === (spec.targets.length === 0), "metadata.name", {
      code: "bad-name",
      message: "a Policy without targets must be named default, and the Policy default has no targets",
    }),
    ...spec.targets.flatMap((value, index) => target(value, fieldPath("spec.targets", index))),
    ...methods(spec),
  ],
};

/** Authentication of the mesh, before PeerAuthentication and RequestAuthentication. */
export const meshPolicy: Kind<typeof PolicySchema> = {
  ...authentication,
  kind: "MeshPolicy",
  plural: "meshpolicies",
  scope: "cluster",
  collection: "k8s/authentication.istio.io/v1alpha1/meshpolicies",
  validate: ({ name, spec }) => [
    ...errorUnless(name === "default", "metadata.name", {
      code: "bad-name",
      message: "a MeshPolicy must be named default",
    }),
    ...errorUnless(spec.targets.length === 0, "spec.targets", {
      code: "conflicting-fields",
      message: "a MeshPolicy cannot have targets",
    }),
    ...methods(spec),
  ],
};

function target({ name, ports }: TargetSelector, path: string): readonly Finding[] {
  return [
    ...errorUnless(isDnsLabel(name), `${path}.name`, {
      code: "bad-target",
      message: `"${name}" is not the short name of a service`,
    }),
    ...ports.flatMap(({ port }, index) => portSelector(port, fieldPath(path, "ports", index))),
  ];
}

function portSelector(port: PortSelector["port"], path: string): readonly Finding[] {
  if (port.case === "number") return portNumber(port.value, `${path}.number`);
  return errorUnless(port.case === "name" && isDnsLabel(port.value), path, {
    code: "bad-port",
    message: "a port needs a number or a name",
  });
}

interface Token {
  readonly jwt: Jwt;
  readonly path: string;
}

function methods({ peers, origins }: Policy): readonly Finding[] {
  const tokens: Token[] = [
    ...peers.flatMap(({ params }, index) =>
      params.case === "jwt" ? [{ jwt: params.value, path: fieldPath("spec.peers", index, "jwt") }] : [],
    ),
    ...origins.flatMap(({ jwt }, index) => (jwt ? [{ jwt, path: fieldPath("spec.origins", index, "jwt") }] : [])),
  ];
  return [
    ...origins.flatMap(({ jwt }, index) =>
      errorUnless(jwt !== undefined, fieldPath("spec.origins", index, "jwt"), {
        code: "missing-value",
        message: "an origin needs jwt",
      }),
    ),
    ...tokens.flatMap(({ jwt, path }) => token(jwt, path)),
    ...repeatedIssuers(tokens),
  ];
}

function repeatedIssuers(tokens: readonly Token[]): readonly Finding[] {
  const seen = new Set<string>();
  return tokens.flatMap(({ jwt: { issuer }, path }) => {
    const message = `the issuer "${issuer}" is used twice`;
    const findings = errorUnless(!seen.has(issuer), `${path}.issuer`, { code: "duplicate-value", message });
    seen.add(issuer);
    return findings;
  });
}

function token(jwt: Jwt, path: string): readonly Finding[] {
  return [
    ...someText(jwt.issuer, `${path}.issuer`, "the issuer of the tokens"),
    ...noEmptyTexts(jwt.audiences, `${path}.audiences`),
    ...keySetUri(jwt.jwksUri, `${path}.jwksUri`),
    ...keySet(jwt.jwks, `${path}.jwks`),
    ...noEmptyTexts(jwt.jwtHeaders, `${path}.jwtHeaders`),
    ...noEmptyTexts(jwt.jwtParams, `${path}.jwtParams`),
    ...jwt.triggerRules.flatMap(({ excludedPaths, includedPaths }, index) =>
      [...excludedPaths, ...includedPaths].flatMap(({ matchType }) =>
        someText(matchType.value ?? "", fieldPath(path, "triggerRules", index), "the expression for the path"),
      ),
    ),
  ];
}
