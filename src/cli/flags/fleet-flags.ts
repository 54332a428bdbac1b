import { periodMs } from "../../app/options/option-values.ts";
import type { ServerAddress } from "../../fleet/ads-call.ts";
import type { FleetShares } from "../../fleet/plan.ts";
import { MeshError } from "../../lib/errors.ts";
import { parseAddress } from "../../transport/address.ts";
import type { DocumentedFlag } from "../command.ts";
import { valueFlag } from "./flag.ts";
import { nameFlags } from "./mesh-flags.ts";
import { notations, outputFlag } from "./notation.ts";
import { pairOf } from "./pair-of.ts";
import type { ReadFlags } from "./read-flags.ts";

export const fleetFlags: readonly DocumentedFlag[] = [
  valueFlag("xds", "ADDR", "the server's plaintext xDS address", "127.0.0.1:15010"),
  valueFlag("proxies", "N", "how many proxies", "100"),
  valueFlag("duration", "DURATION", "how long they stay", "10s"),
  valueFlag("delta", "SHARE", "who speaks delta instead of state of the world", "0%"),
  valueFlag("routers", "SHARE", "who is a gateway instead of a sidecar", "0%"),
  valueFlag("grpc", "SHARE", "who is a gRPC client without proxy instead of a sidecar; needs --target", "0%"),
  valueFlag("target", "HOST:PORT", "what gRPC clients ask for; may be repeated", ""),
  valueFlag("slow", "SHARE", "who reads 10 kB in a second", "0%"),
  valueFlag("nack", "SHARE", "who rejects every third change", "0%"),
  valueFlag("reconnect", "SHARE", "who hangs up now and then, and comes back", "0%"),
  valueFlag("reconnect-every", "DURATION", "how often they do", "5s"),
  valueFlag("per-second", "N", "how many connect in a second", "all at once"),
  valueFlag("namespace", "NAME", "where sidecars and gRPC clients are; may be repeated, they are spread", "default"),
  valueFlag("router-label", "KEY=VALUE", "a label of the gateways; may be repeated", "app=gw"),
  ...nameFlags,
  outputFlag(notations),
];

/** What a command line says about a fleet. */
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
    throw new MeshError("bad-option", "--routers and --grpc: more than all proxies");
  if (shares.grpc > 0 && targets.length === 0) {
    throw new MeshError("bad-option", "--target is missing: what do gRPC clients ask for, such as reviews:9080?");
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
