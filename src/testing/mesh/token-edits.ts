import type { CoreObject } from "./core-object.ts";

const jwks = '{"keys":[]}';

/** In the place of a key set: the issuer that this policy names decides about the content of all key sets. */
export const keyEpoch = { namespace: "keys", name: "epoch" } as const;

/** RequestAuthentications, and one for nobody: its edits change the fetched key sets and nothing else. */
export const tokenPolicies: readonly CoreObject[] = [
  ...["a", "istio-system"].map((namespace) => ({
    kind: "RequestAuthentication",
    namespace,
    spec: { jwtRules: [{ issuer: "one", jwksUri: "https://one.example.com/keys" }] },
    others: [
      { jwtRules: [{ issuer: "one", jwks }] },
      { jwtRules: [{ issuer: "two", jwks, forwardOriginalToken: true }] },
      { jwtRules: [{ issuer: "three", jwksUri: "https://two.example.com/keys" }] },
      { jwtRules: [{ issuer: "one", jwks }, { issuer: "two" }] },
      { selector: { matchLabels: { app: "x" } } },
      { targetRefs: [{ group: "networking.istio.io", kind: "ServiceEntry", name: "core" }] },
    ],
  })),
  {
    kind: "RequestAuthentication",
    ...keyEpoch,
    spec: { jwtRules: [{ issuer: "first", jwks }] },
    others: [{ jwtRules: [{ issuer: "second", jwks }] }, { jwtRules: [{ issuer: "third", jwks }] }],
  },
];
