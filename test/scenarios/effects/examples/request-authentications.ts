import { keySetText } from "../key-set-text.ts";
import type { Example } from "../proof.ts";
import { object, router, service, workload } from "./context.ts";

const jwks = keySetText("inline");

function policy(spec: object, namespace = "shop"): Example {
  return {
    subject: { ...object("RequestAuthentication", "tokens", spec, namespace), apiVersion: "security.istio.io/v1" },
    around: [
      service("reviews"),
      object("Gateway", "edge", {
        selector: { app: "gw" },
        servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
      }),
    ],
    clients: [workload("reviews"), router],
  };
}

const places = { fromHeaders: [{ name: "x-a", prefix: "b" }], fromParams: ["a"], fromCookies: ["a"] };
const target = { group: "networking.istio.io", kind: "ServiceEntry", name: "reviews" };

export const requestAuthentications: readonly Example[] = [
  policy({
    selector: { matchLabels: { app: "reviews" } },
    jwtRules: [
      {
        issuer: "https://a.example.com",
        audiences: ["a"],
        jwksUri: "https://a.example.com/keys",
        ...places,
        outputPayloadToHeader: "x-b",
        forwardOriginalToken: true,
        outputClaimToHeaders: [{ header: "x-c", claim: "c" }],
        timeout: "5s",
        spaceDelimitedClaims: ["a"],
        presence: "REQUIRED",
      },
      { issuer: "b", jwks },
    ],
  }),
  policy({ targetRef: target, jwtRules: [{ issuer: "b", jwks }] }),
  policy({ targetRefs: [target], jwtRules: [{ issuer: "b", jwks }] }),
];
