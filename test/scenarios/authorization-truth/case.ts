import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { specOf, type TruthPolicy } from "./policy.ts";
import type { TruthClaims } from "./request.ts";

/** The namespace of policies for the whole mesh. */
export const rootNamespace = "istio-system";

/** The objects of a case: its policies, and the issuers of tokens. */
export function objectsFor(
  policies: readonly TruthPolicy[],
  { namespace, app }: { readonly namespace: string; readonly app: string },
) {
  const jwtRules = ["issuer-a", "issuer-b", "https://c.example"].map((issuer) => ({ issuer, jwks }));
  const tokens = { selector: { matchLabels: { app } }, jwtRules };
  return [
    ...policies.map((policy) => ({
      apiVersion: "security.istio.io/v1",
      kind: "AuthorizationPolicy",
      metadata:
        policy.level === "root"
          ? { name: `${app}-${policy.name}`, namespace: rootNamespace }
          : { name: policy.name, namespace },
      spec: specOf(policy, app) as JsonObject,
    })),
    {
      apiVersion: "security.istio.io/v1",
      kind: "RequestAuthentication",
      metadata: { name: "tokens", namespace },
      spec: tokens as JsonObject,
    },
  ];
}

/** The policy that explain names: `AuthorizationPolicy/NAMESPACE/NAME`. */
export function policyOf(id: string, app: string): string {
  const name = id.slice(id.lastIndexOf("/") + 1);
  return name.startsWith(`${app}-`) ? name.slice(app.length + 1) : name;
}

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwks = JSON.stringify({
  keys: [{ ...createPublicKey(privateKey).export({ format: "jwk" }), kid: "one", alg: "ES256" }],
});

/** A valid token with these claims. */
export function tokenWith(claims: TruthClaims): string {
  const signed = `${part({ alg: "ES256", kid: "one" })}.${part({ ...claims, exp: 4_000_000_000 })}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
