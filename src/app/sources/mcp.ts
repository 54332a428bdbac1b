import { FileWatch } from "../../galley/source/file-watch.ts";
import { McpSource } from "../../galley/source/mcp/mcp-source.ts";
import { receivedCollections } from "../../galley/source/mcp/received-collections.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseAddress } from "../../transport/address.ts";
import { createGrpcClient } from "../../transport/grpc-client.ts";
import type { ClientTlsOptions } from "../../transport/grpc-client-tls.ts";
import { resourceSourcePath } from "../mcp/mcp-paths.ts";
import { count, onOff, text } from "../option-values.ts";
import type { MakeSource } from "./schemes.ts";
import { badSource, readQuery, type SourceUrl } from "./source-url.ts";

const defaultPort = 9901;

const settings = {
  ca: text("FILE"),
  cert: text("FILE"),
  key: text("FILE"),
  "server-name": text("NAME"),
  "max-message": count,
  incremental: onOff,
};

/** `mcp://HOST[:PORT]`: a Galley elsewhere; with TLS, `mcps:`. */
export const mcpSource: MakeSource = (url, { kinds, clock, galleys }) => {
  const { "max-message": maxMessageBytes, incremental = true } = readQuery(url, settings);
  const tls = url.scheme === "mcps" ? { tls: tlsFrom(url, clock) } : withoutTls(url);
  const client = createGrpcClient({
    address: addressOf(url),
    logger: galleys.logger,
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    ...tls,
  });
  const source = new McpSource({
    name: url.name,
    line: {
      start: () => client.start(),
      stop: () => client.stop(),
      open: () => client.open(resourceSourcePath, galleys.onTaken),
    },
    collections: receivedCollections(kinds),
    incremental,
    clock,
    random: Math.random,
    observer: galleys.observer,
  });
  galleys.sources.push(source);
  return source;
};

function addressOf({ name, scheme, rest }: SourceUrl): string {
  const authority = rest.replace(/^\/\/|\/$/g, "");
  const address = parseAddress(authority)?.type === "tcp" ? authority : `${authority}:${defaultPort}`;
  const parsed = parseAddress(address);
  if (!rest.startsWith("//") || parsed?.type !== "tcp" || parsed.host === "" || parsed.port === 0) {
    throw badSource(name, `expected ${scheme}://HOST:PORT`);
  }
  return address;
}

function tlsFrom(url: SourceUrl, clock: Clock): ClientTlsOptions {
  const { ca, cert: certificate, key, "server-name": serverName } = readQuery(url, settings);
  if ((certificate === undefined) !== (key === undefined)) throw badSource(url.name, "cert= and key= go together");
  return {
    authorities: ca === undefined ? [] : [ca],
    ...(certificate !== undefined && key !== undefined && { shown: { certificate, key } }),
    ...(serverName !== undefined && { serverName }),
    clock,
    openWatch: (onChange) => new FileWatch({ clock, onChange }),
  };
}

/** What is meant for TLS and would be ignored is a mistake. */
function withoutTls({ name, query }: SourceUrl): Record<never, never> {
  const meant = ["ca", "cert", "key", "server-name"].find((key) => query.has(key));
  if (meant !== undefined) throw badSource(name, `${meant}= is for mcps:`);
  return {};
}
