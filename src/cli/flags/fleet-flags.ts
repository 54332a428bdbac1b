import { periodMs } from "../../app/options/option-values.ts";
import type { ServerAddress } from "../../fleet/ads-call.ts";
import type { FleetShares } from "../../fleet/plan.ts";
import { MeshError } from "../../lib/errors.ts";
import { parseAddress } from "../../transport/listen-address.ts";
import type { DocumentedFlag } from "../command.ts";
import { valueFlag } from "./flag.ts";
import { nameFlags } from "./mesh-flags.ts";
import { notations, outputFlag } from "./notation.ts";
import { pairOf } from "./pair-of.ts";
import type { ReadFlags } from "./read-flags.ts";

/** As a page, the report has the same figures, and a picture. */
export const fleetFormats = [...notations, "html"] as const;

export const fleetFlags: readonly DocumentedFlag[] = [
  valueFlag("xds", "ADDR", "Plaintext xDS address of the server.", "127.0.0.1:15010"),
  valueFlag("proxies", "N", "Number of proxies.", "100"),
  valueFlag("duration", "DURATION", "Time that the proxies stay connected.", "10s"),
  valueFlag("delta", "SHARE", "Share of proxies that use delta xDS instead of SotW.", "0%"),
  valueFlag("routers", "SHARE", "Share of proxies that are gateways instead of sidecars.", "0%"),
  valueFlag("grpc", "SHARE", "Share of proxyless gRPC clients instead of sidecars. Needs --target.", "0%"),
  valueFlag("target", "HOST:PORT", "Service that gRPC clients subscribe to. May be repeated.", ""),
  valueFlag("slow", "SHARE", "Share of slow proxies, which read 10 kB per second.", "0%"),
  valueFlag("nack", "SHARE", "Share of proxies that NACK every third change.", "0%"),
  valueFlag("reconnect", "SHARE", "Share of proxies that disconnect from time to time and reconnect.", "0%"),
  valueFlag("reconnect-every", "DURATION", "Interval between reconnects of such a proxy.", "5s"),
  valueFlag("per-second", "N", "Number of proxies that connect per second.", "all at once"),
  valueFlag(
    "namespace",
    "NAME",
    "Namespace of sidecars and gRPC clients. May be repeated, which spreads them.",
    "default",
  ),
  valueFlag("router-label", "KEY=VALUE", "Label of the gateways. May be repeated.", "app=gw"),
  ...nameFlags,
  outputFlag(fleetFormats),
];

/** The settings of a fleet from the command line. */
export interface FleetSettings {
  readonly address: ServerAddress;
  readonly proxies: number;
  readonly durationMs: number;
  readonly shares: FleetShares;
  readonly targets: readonly string[];
  readonly reconnectEveryMs: number;
  readonly perSecond: number | undefined;
  readonly namespaces: readonly string[];
  readonly routerLabels: Readonly<Record<string, string>>;
}

/** Throws `bad-option`. */
export function readFleetFlags(given: ReadFlags): FleetSettings {
  const shares = {
    routers: shareOf(given, "routers"),
    grpc: shareOf(given, "grpc"),
    delta: shareOf(given, "delta"),
    slow: shareOf(given, "slow"),
    nack: shareOf(given, "nack"),
    reconnect: shareOf(given, "reconnect"),
  };
  const targets = given.values("target");
  if (shares.routers + shares.grpc > 1)
    throw new MeshError("bad-option", "--routers and --grpc: together more than 100%");
  if (shares.grpc > 0 && targets.length === 0) {
    throw new MeshError("bad-option", "--target is missing: gRPC clients need a service, such as reviews:9080");
  }
  const labels = given.has("router-label") ? given.values("router-label") : [given.value("router-label")];
  return {
    address: addressOf(given),
    proxies: countOf(given, "proxies"),
    durationMs: durationOf(given, "duration"),
    shares,
    targets,
    reconnectEveryMs: durationOf(given, "reconnect-every"),
    perSecond: given.has("per-second") ? countOf(given, "per-second") : undefined,
    namespaces: given.has("namespace") ? given.values("namespace") : [given.value("namespace")],
    routerLabels: Object.fromEntries(labels.map((label) => pairOf("router-label", label))),
  };
}

function addressOf(given: ReadFlags): ServerAddress {
  const address = parseAddress(given.value("xds"));
  if (address?.type === "tcp" && address.port > 0) return { host: address.host || "127.0.0.1", port: address.port };
  throw wrong(given, "xds", "HOST:PORT");
}

function countOf(given: ReadFlags, flag: string): number {
  const text = given.value(flag);
  if (/^[1-9]\d{0,6}$/u.test(text)) return Number(text);
  throw wrong(given, flag, "a number above zero");
}

function shareOf(given: ReadFlags, flag: string): number {
  const percent = /^(\d+(?:\.\d+)?)%$/u.exec(given.value(flag))?.[1];
  if (percent !== undefined && Number(percent) <= 100) return Number(percent) / 100;
  throw wrong(given, flag, "a share such as 2% or 50%");
}

function durationOf(given: ReadFlags, flag: string): number {
  const ms = periodMs.parse([given.value(flag)]);
  if (ms !== undefined) return ms;
  throw wrong(given, flag, periodMs.expected);
}

function wrong(given: ReadFlags, flag: string, expected: string): MeshError {
  return new MeshError("bad-option", `--${flag}: expected ${expected}, found ${JSON.stringify(given.value(flag))}`);
}
