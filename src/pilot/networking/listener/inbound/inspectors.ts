import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { ChainMatch } from "../chain-match.ts";
import { plainHttp } from "../chain-match.ts";
import type { DisabledPorts } from "../listener-filters.ts";
import { listenerFilter } from "../listener-filters.ts";

/**
 * The encoded inspectors of the first bytes of a connection, where a chain matches on their result. On other ports they
 * are disabled: with a server-first protocol they would wait for the client in vain.
 */
export function inspectorsFor(matches: readonly ChainMatch[], writer: ProtoWriter): readonly Uint8Array[] {
  const tls = portsWhere(({ transportProtocol }) => transportProtocol === "tls", matches);
  const http = portsWhere(({ applicationProtocols: all }) => all.some((one) => plainHttp.includes(one)), matches);
  // ALPN shows the protocol inside TLS, so the HTTP inspector comes after the TLS inspector.
  return [
    ...(tls.needed.length > 0 ? [listenerFilter("tls_inspector", writer, tlsDisabled(tls))] : []),
    ...(http.needed.length > 0 ? [listenerFilter("http_inspector", writer, unless(http.needless))] : []),
  ];
}

/** Sorted; 0 for all ports without their own chain. */
interface Ports {
  readonly needed: readonly number[];
  readonly needless: readonly number[];
}

function portsWhere(isNeeded: (match: ChainMatch) => boolean, matches: readonly ChainMatch[]): Ports {
  const needed = new Set(matches.filter(isNeeded).map(({ destinationPort }) => destinationPort));
  const all = new Set(matches.map(({ destinationPort }) => destinationPort));
  return { needed: [...needed].toSorted(ascending), needless: [...all.difference(needed)].toSorted(ascending) };
}

function ascending(a: number, b: number): number {
  return a - b;
}

function tlsDisabled({ needed, needless }: Ports): DisabledPorts | undefined {
  return needed.includes(0) ? unless(needless) : { ports: needed, inverted: true };
}

function unless(ports: readonly number[]): DisabledPorts | undefined {
  return ports.length === 0 ? undefined : { ports, inverted: false };
}
