import { MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Authenticate } from "../../transport/credentials/authenticator.ts";
import { createGrpcServer, type GrpcServer, type GrpcServerOptions } from "../../transport/server/grpc-server.ts";
import type { MethodTables } from "../../transport/server/method.ts";
import type { TlsIssuer, TlsOptions } from "../../transport/tls/secure-server.ts";
import type { Options } from "../options/options.ts";
import { watchedFiles } from "../process/watched-files.ts";

export interface XdsListenersOptions {
  readonly options: Options;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly methods: MethodTables;
  readonly authenticate: Authenticate;
  /** Called when a client fails to authenticate. */
  readonly onRefused: () => void;
  /** Gets each new certificate of the TLS port, PEM. */
  readonly onCertificate: (pem: string) => void;
  /** Serves certificates on the TLS port, and issues the certificate of the port. */
  readonly ca?: { readonly methods: MethodTables; readonly issuer: TlsIssuer } | undefined;
}

/** The servers that proxies call, the one with TLS first. Throws `bad-option`. */
export function xdsListeners(given: XdsListenersOptions): readonly (readonly ["xds" | "xds-tls", GrpcServer])[] {
  const { options, clock, logger, methods, onRefused, ca } = given;
  const authenticate: Authenticate = async (credentials) => {
    const found = await given.authenticate(credentials);
    if (found.type === "refused") onRefused();
    return found;
  };
  const server = (more: Pick<GrpcServerOptions, "address" | "tls" | "authenticate" | "also">) =>
    createGrpcServer({ ...methods, logger, ...limitsFrom(options), ...more });
  const plain = server({ address: options.xds, ...(options.xdsAuthPlaintext && { authenticate }) });
  if (options.xdsTls === "off") return [["xds", plain]];
  const tls = {
    address: options.xdsTls,
    tls: { ...tlsFrom(options, clock, ca?.issuer), onCertificate: given.onCertificate },
    also: [...(methods.also ?? []), ...(ca === undefined ? [] : [ca.methods])],
    ...(options.xdsAuth && { authenticate }),
  };
  return [
    ["xds-tls", server(tls)],
    ["xds", plain],
  ];
}

function limitsFrom(options: Options): Partial<GrpcServerOptions> {
  return {
    maxMessageBytes: options.maxRequestBytes,
    maxStreams: options.maxStreams,
    sendTimeoutMs: options.sendTimeoutMs,
    pingIntervalMs: options.keepaliveIntervalMs,
    pingTimeoutMs: options.keepaliveTimeoutMs,
    maxAgeMs: options.maxConnectionAgeMs,
  };
}

function tlsFrom(options: Options, clock: Clock, issuer: TlsIssuer | undefined): TlsOptions {
  const { tlsCert: certificate, tlsKey: key, tlsCa: authorities, tlsMinVersion, xdsAuth } = options;
  if ((certificate === undefined || key === undefined) && (issuer === undefined || certificate !== key)) {
    throw new MeshError("bad-option", "--xds-tls needs --tls-cert and --tls-key, or --ca");
  }
  const canAuthenticate = options.jwtIssuer !== undefined || options.tokenReview;
  if (xdsAuth && authorities.length === 0 && !canAuthenticate) {
    const sentence =
      "no proxy could authenticate: --xds-tls needs --tls-ca, --jwt-issuer, --token-review or --xds-auth off";
    throw new MeshError("bad-option", sentence);
  }
  return {
    files: certificate === undefined || key === undefined ? { authorities } : { certificate, key, authorities },
    ...(issuer && { issuer }),
    minVersion: `TLSv${tlsMinVersion}`,
    ...watchedFiles(clock),
  };
}
