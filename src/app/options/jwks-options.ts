import type { OptionRows } from "./option.ts";
import { periodMs, switched, texts } from "./option-values.ts";

/** Options for fetching the key sets of RequestAuthentications. */
export interface JwksOptions {
  readonly jwksRefreshMs: number;
  readonly jwksAllowHttp: boolean;
  readonly jwksAllowLocal: boolean;
  readonly jwksCa: readonly string[];
}

export const jwksOptions: OptionRows<JwksOptions> = {
  jwksRefreshMs: {
    name: "jwks-refresh",
    env: ["BINNACLE_JWKS_REFRESH", "PILOT_JWT_PUB_KEY_REFRESH_INTERVAL"],
    type: periodMs,
    default: 20 * 60_000,
    defaultText: "20m",
    doc: "Fetches the key sets of RequestAuthentications again after this time. The last good key set stays in use if a fetch fails.",
    example: "5m",
    of: "pilot",
  },
  jwksAllowHttp: {
    name: "jwks-allow-http",
    env: ["BINNACLE_JWKS_ALLOW_HTTP"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "Fetches key sets over plain HTTP, too. Anyone between this server and the issuer can then replace the keys.",
    example: "true",
    of: "pilot",
  },
  jwksAllowLocal: {
    name: "jwks-allow-local",
    env: ["BINNACLE_JWKS_ALLOW_LOCAL"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "Fetches key sets from loopback, link-local and metadata-service addresses, too. Authors of RequestAuthentications can then reach services of this machine and of its cloud.",
    example: "true",
    of: "pilot",
  },
  jwksCa: {
    name: "jwks-ca",
    env: ["BINNACLE_JWKS_CA"],
    type: texts("FILE"),
    default: [],
    defaultText: "",
    doc: "CA certificates that verify the servers of key sets (PEM), beside those of the system. Read for each fetch. May be repeated.",
    example: "/etc/certs/issuers.pem",
    of: "pilot",
  },
};
