import { address, oneOf, onOff, switched, text, texts } from "./option-values.ts";
import type { OptionRows } from "./options.ts";

/** Where proxies ask, who may, and how they are known. */
export interface AccessOptions {
  readonly xds: string;
  readonly xdsTls: string;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly tlsCa: readonly string[];
  readonly tlsMinVersion: "1.2" | "1.3";
  readonly xdsAuth: boolean;
  readonly xdsAuthPlaintext: boolean;
  readonly xdsIdentityCheck: boolean;
  readonly configOverXds: "operators" | "anyone";
  readonly jwtIssuer: string | undefined;
  readonly jwtAudiences: readonly string[];
  readonly jwtJwks: string | undefined;
  readonly debugNamespaces: readonly string[];
}

export const accessOptions: OptionRows<AccessOptions> = {
  xds: {
    name: "xds",
    env: ["BINNACLE_XDS"],
    type: address,
    default: "127.0.0.1:15010",
    defaultText: "127.0.0.1:15010",
    doc: "plaintext xDS for proxies",
    example: "0.0.0.0:15010",
    of: "pilot",
  },
  xdsTls: {
    name: "xds-tls",
    env: ["BINNACLE_XDS_TLS"],
    type: address,
    default: "off",
    defaultText: "off",
    doc: "xDS over TLS, for proxies with a client certificate or a bearer token",
    example: ":15012",
    of: "pilot",
  },
  tlsCert: {
    name: "tls-cert",
    env: ["BINNACLE_TLS_CERT"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "its certificate chain as PEM, watched",
    example: "/etc/certs/cert-chain.pem",
    of: "pilot",
  },
  tlsKey: {
    name: "tls-key",
    env: ["BINNACLE_TLS_KEY"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "the key of its certificate as PEM, watched",
    example: "/etc/certs/key.pem",
    of: "pilot",
  },
  tlsCa: {
    name: "tls-ca",
    env: ["BINNACLE_TLS_CA"],
    type: texts("FILE"),
    default: [],
    defaultText: "",
    doc: "authorities whose client certificates are believed, as PEM, watched; may be repeated",
    example: "/etc/certs/root-cert.pem",
    of: "pilot",
  },
  tlsMinVersion: {
    name: "tls-min-version",
    env: ["BINNACLE_TLS_MIN_VERSION"],
    type: oneOf(["1.2", "1.3"]),
    default: "1.2",
    defaultText: "1.2",
    doc: "the oldest version of TLS that is spoken there",
    example: "1.3",
    of: "pilot",
  },
  xdsAuth: {
    name: "xds-auth",
    env: ["BINNACLE_XDS_AUTH", "XDS_AUTH"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "whether proxies that come over TLS must prove who they are",
    example: "off",
    of: "pilot",
  },
  xdsAuthPlaintext: {
    name: "xds-auth-plaintext",
    env: ["BINNACLE_XDS_AUTH_PLAINTEXT", "XDS_AUTH_PLAINTEXT"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "whether those that come without TLS must, too, with a bearer token",
    example: "true",
    of: "pilot",
  },
  xdsIdentityCheck: {
    name: "xds-identity-check",
    env: ["BINNACLE_XDS_IDENTITY_CHECK", "PILOT_ENABLE_XDS_IDENTITY_CHECK"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "whether a proxy that has proved who it is must be of the namespace and the service account that it says",
    example: "off",
    of: "pilot",
  },
  configOverXds: {
    name: "config-over-xds",
    env: ["BINNACLE_CONFIG_OVER_XDS"],
    type: oneOf(["operators", "anyone"]),
    default: "operators",
    defaultText: "operators",
    doc: "who may read all configuration over xDS, as other control planes do: those of a system namespace, on plaintext those on this machine, or anyone who gets there",
    example: "anyone",
    of: "pilot",
  },
  jwtIssuer: {
    name: "jwt-issuer",
    env: ["BINNACLE_JWT_ISSUER"],
    type: text("URL"),
    default: undefined,
    defaultText: "",
    doc: "the OIDC issuer whose bearer tokens are believed, on xDS and on debug pages; their subject is a Kubernetes service account or a SPIFFE id",
    example: "https://issuer.example",
  },
  jwtAudiences: {
    name: "jwt-audience",
    env: ["BINNACLE_JWT_AUDIENCE", "TOKEN_AUDIENCES"],
    type: texts("TEXT"),
    default: ["istio-ca"],
    defaultText: "istio-ca",
    doc: "whom tokens must be meant for, one of these; may be repeated",
    example: "binnacle",
  },
  jwtJwks: {
    name: "jwt-jwks",
    env: ["BINNACLE_JWT_JWKS"],
    type: text("FILE|URL"),
    default: undefined,
    defaultText: "",
    doc: "the issuer's keys: a file, watched, or an address; unless given, the issuer is asked where they are",
    example: "/etc/binnacle/jwks.json",
  },
  debugNamespaces: {
    name: "debug-namespace",
    env: ["BINNACLE_DEBUG_NAMESPACE", "DEBUG_ENDPOINT_AUTH_ALLOWED_NAMESPACES"],
    type: texts("NAMESPACE"),
    default: [],
    defaultText: "",
    doc: "identities of this namespace see every debug page from other machines, as those of the mesh's root namespace do; may be repeated",
    example: "operators",
  },
};
