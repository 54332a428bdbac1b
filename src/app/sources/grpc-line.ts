import type { IncomingHttpHeaders } from "node:http2";
import type { ServerConnection } from "../../galley/source/remote/remote-source.ts";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { createGrpcClient } from "../../transport/client/grpc-client.ts";
import type { ClientTlsOptions } from "../../transport/client/reloaded-client-tls.ts";
import { parseAddress } from "../../transport/listen-address.ts";
import { count, singleText } from "../options/option-values.ts";
import type { Options } from "../options/options.ts";
import { watchedFiles } from "../process/watched-files.ts";
import { badSource, requireTogether, type SourceUrl } from "./source-url.ts";

const tlsKeys = ["ca", "cert", "key", "server-name"] as const;

/** Query settings of every source URL that uses gRPC. */
export const lineSettings = {
  ca: singleText("FILE"),
  cert: singleText("FILE"),
  key: singleText("FILE"),
  "server-name": singleText("NAME"),
  "max-message": count,
};

export interface LineQuery {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly "server-name"?: string;
  readonly "max-message"?: number;
}

export interface LineOptions {
  /** The scheme without TLS; an `s` at its end adds TLS. */
  readonly plainScheme: string;
  readonly defaultPort: number;
  /** The path of the method whose streams are opened. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The keepalive settings. */
  readonly settings: Pick<Options, "keepaliveIntervalMs" | "keepaliveTimeoutMs">;
  /** Called when the server accepts a stream. */
  readonly onTaken: (headers: IncomingHttpHeaders) => void;
  /** Wraps a stream, to observe it. */
  readonly watched: (stream: GrpcStream) => GrpcStream;
}

/** The connection to the server of a URL. Throws `bad-option`. */
export function lineTo(url: SourceUrl, query: LineQuery, options: LineOptions): ServerConnection {
  const { plainScheme, path, clock, logger, onTaken, watched, settings } = options;
  const { "max-message": maxMessageBytes } = query;
  const isPlain = url.scheme === plainScheme;
  if (isPlain) refuseTlsSettings(url, plainScheme);
  const client = createGrpcClient({
    address: addressOf(url, options.defaultPort),
    logger,
    pingIntervalMs: settings.keepaliveIntervalMs,
    pingTimeoutMs: settings.keepaliveTimeoutMs,
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    ...(isPlain ? {} : { tls: tlsFrom(url, query, clock) }),
  });
  return { start: () => client.start(), stop: () => client.stop(), open: () => watched(client.open(path, onTaken)) };
}

function addressOf({ name, scheme, rest }: SourceUrl, defaultPort: number): string {
  const authority = rest.replace(/^\/\/|\/$/g, "");
  const address = parseAddress(authority)?.type === "tcp" ? authority : `${authority}:${defaultPort}`;
  const parsed = parseAddress(address);
  if (!rest.startsWith("//") || parsed?.type !== "tcp" || parsed.host === "" || parsed.port === 0) {
    throw badSource(name, `expected ${scheme}://HOST:PORT`);
  }
  return address;
}

function tlsFrom(url: SourceUrl, query: LineQuery, clock: Clock): ClientTlsOptions {
  const { ca, cert: certificate, key, "server-name": serverName } = query;
  requireTogether(url, ["cert", "key"]);
  return {
    authorities: ca === undefined ? [] : [ca],
    ...(certificate !== undefined && key !== undefined && { shown: { certificate, key } }),
    ...(serverName !== undefined && { serverName }),
    ...watchedFiles(clock),
  };
}

/** Refuses TLS settings on a URL without TLS, which would ignore them. */
function refuseTlsSettings({ name, query }: SourceUrl, plainScheme: string): void {
  const meant = tlsKeys.find((key) => query.has(key));
  if (meant !== undefined) throw badSource(name, `${meant}= needs ${plainScheme}s:`);
}
