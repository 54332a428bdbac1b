import type { OptionRows } from "./option.ts";
import { address, oneOf, onOff, switched, singleText, texts } from "./option-values.ts";

/** Options for the xDS listeners and the authentication of clients. */
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
  readonly allowPlaintextSecrets: boolean;
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
    doc: "Address that serves plaintext xDS to proxies.",
    example: "0.0.0.0:15010",
    of: "pilot",
  },
  xdsTls: {
    name: "xds-tls",
    env: ["BINNACLE_XDS_TLS"],
    type: address,
    default: "off",
    defaultText: "off",
    doc: "Address that serves xDS over TLS to proxies with a client certificate or a bearer token.",
    example: ":15012",
    of: "pilot",
  },
  tlsCert: {
    name: "tls-cert",
    env: ["BINNACLE_TLS_CERT"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Certificate chain for --xds-tls (PEM). Reloaded on change.",
    example: "/etc/certs/cert-chain.pem",
    of: "pilot",
  },
  tlsKey: {
    name: "tls-key",
    env: ["BINNACLE_TLS_KEY"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Private key of --tls-cert (PEM). Reloaded on change.",
    example: "/etc/certs/key.pem",
    of: "pilot",
  },
  tlsCa: {
    name: "tls-ca",
    env: ["BINNACLE_TLS_CA"],
    type: texts("FILE"),
    default: [],
    defaultText: "",
    doc: "CA certificates that verify client certificates on --xds-tls (PEM). Reloaded on change. May be repeated.",
    example: "/etc/certs/root-cert.pem",
    of: "pilot",
  },
  tlsMinVersion: {
    name: "tls-min-version",
    env: ["BINNACLE_TLS_MIN_VERSION"],
    type: oneOf(["1.2", "1.3"]),
    default: "1.2",
    defaultText: "1.2",
    doc: "Minimum TLS version on --xds-tls.",
    example: "1.3",
    of: "pilot",
  },
  xdsAuth: {
    name: "xds-auth",
    env: ["BINNACLE_XDS_AUTH", "XDS_AUTH"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "Requires proxies on --xds-tls to authenticate.",
    example: "off",
    of: "pilot",
  },
  xdsAuthPlaintext: {
    name: "xds-auth-plaintext",
    env: ["BINNACLE_XDS_AUTH_PLAINTEXT", "XDS_AUTH_PLAINTEXT"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "Requires proxies on plaintext --xds to authenticate with a bearer token.",
    example: "true",
    of: "pilot",
  },
  xdsIdentityCheck: {
    name: "xds-identity-check",
    env: ["BINNACLE_XDS_IDENTITY_CHECK", "PILOT_ENABLE_XDS_IDENTITY_CHECK"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "Rejects an authenticated proxy if its node names another namespace or service account than its identity.",
    example: "off",
    of: "pilot",
  },
  allowPlaintextSecrets: {
    name: "allow-plaintext-secrets",
    env: ["BINNACLE_ALLOW_PLAINTEXT_SECRETS"],
    type: onOff,
    default: false,
    defaultText: "off",
    doc: "Sends private keys and pull secrets also to proxies on this machine that are connected without TLS. For tests only: every local process can ask for them, and so can all clients of a local proxy.",
    example: "on",
    of: "pilot",
  },
  configOverXds: {
    name: "config-over-xds",
    env: ["BINNACLE_CONFIG_OVER_XDS"],
    type: oneOf(["operators", "anyone"]),
    default: "operators",
    defaultText: "operators",
    doc: "Clients that may read all configuration over xDS, as other control planes do. The value operators allows identities of a system namespace, and on plaintext only clients on this machine. The value anyone allows every client that can connect.",
    example: "anyone",
    of: "pilot",
  },
  jwtIssuer: {
    name: "jwt-issuer",
    env: ["BINNACLE_JWT_ISSUER"],
    type: singleText("URL"),
    default: undefined,
    defaultText: "",
    doc: "OIDC issuer of the bearer tokens that xDS and the debug pages accept. The subject of a token is a Kubernetes service account or a SPIFFE ID.",
    example: "https://issuer.example",
  },
  jwtAudiences: {
    name: "jwt-audience",
    env: ["BINNACLE_JWT_AUDIENCE", "TOKEN_AUDIENCES"],
    type: texts("TEXT"),
    default: ["istio-ca"],
    defaultText: "istio-ca",
    doc: "Accepted audience of bearer tokens. A token needs one of these audiences. May be repeated.",
    example: "binnacle",
  },
  jwtJwks: {
    name: "jwt-jwks",
    env: ["BINNACLE_JWT_JWKS"],
    type: singleText("FILE|URL"),
    default: undefined,
    defaultText: "",
    doc: "Keys (JWKS) of --jwt-issuer, as a file or a URL. A file is reloaded on change. Without it, OIDC discovery at the issuer finds the keys.",
    example: "/etc/binnacle/jwks.json",
  },
  debugNamespaces: {
    name: "debug-namespace",
    env: ["BINNACLE_DEBUG_NAMESPACE", "DEBUG_ENDPOINT_AUTH_ALLOWED_NAMESPACES"],
    type: texts("NAMESPACE"),
    default: [],
    defaultText: "",
    doc: "Lets identities of this namespace see every debug page from other machines. Identities of the mesh's root namespace always may. May be repeated.",
    example: "operators",
  },
};
