import { isKnownProtocol } from "../../config/rules/port.ts";
import { EurekaSource } from "../../galley/source/eureka/eureka.ts";
import { HttpEurekaServer } from "../../galley/source/eureka/eureka-server.ts";
import { defaultServiceSettings, type EurekaServiceSettings } from "../../galley/source/eureka/services-of.ts";
import { defaultRetention } from "../../galley/source/registry/registry-state.ts";
import { count, durationMs, oneOf, onOff, periodMs, text, type ValueType } from "../option-values.ts";
import { type RegistryQuery, registryQuery, registrySettings } from "./registry-settings.ts";
import type { MakeSource } from "./schemes.ts";
import { badSource, type QueryTypes, readQuery } from "./source-url.ts";

interface EurekaQuery extends RegistryQuery, Omit<EurekaServiceSettings, "domain" | "registryId"> {
  readonly refreshPeriod: number;
  readonly timeout: number;
  readonly delta: boolean;
  readonly maxDrop: number;
  readonly dropGrace: number;
  readonly registryID: string;
}

const protocol: ValueType<string> = {
  placeholder: "PROTOCOL",
  expected: "a protocol such as HTTP, GRPC or TCP",
  parse: (texts) => texts.map((text) => text.toUpperCase()).findLast(isKnownProtocol),
};

const percent: ValueType<number> = {
  placeholder: "PERCENT",
  expected: "a number from 0 to 100",
  parse(texts) {
    const number = count.parse(texts);
    return number === undefined || number > 100 ? undefined : number;
  },
};

const queryTypes: QueryTypes<EurekaQuery> = {
  ...registryQuery,
  refreshPeriod: periodMs,
  timeout: periodMs,
  delta: onOff,
  maxDrop: percent,
  dropGrace: durationMs,
  groupBy: oneOf(["app", "hostname"]),
  nsHost: onOff,
  k8sDomainSuffix: onOff,
  defaultServiceNs: text("NAMESPACE"),
  resourceNs: text("NAMESPACE"),
  appSuffix: text("TEXT"),
  enableProjectCode: onOff,
  registryID: text("ID"),
  svcProtocol: protocol,
  svcPort: count,
  instancePortAsSvcPort: onOff,
};

/** `//one:8761,two:8761/eureka`: replicas of one registry, all under the same path. */
const form = /^\/\/(?:(?<credentials>[^@/]*)@)?(?<servers>[^/@]+)(?<path>\/.*)?$/u;

/** `eureka+http:` and `eureka+https:`. */
export const eurekaSource: MakeSource = (url, { clock, options }) => {
  const { registryID: registryId = "", ...query } = readQuery(url, queryTypes);
  const { credentials, servers = "", path = "" } = form.exec(url.rest)?.groups ?? {};
  const settings = { ...defaultServiceSettings, domain: options.domain, ...query, registryId };
  if (servers === "") throw badSource(url.name, "names no server: eureka+http://HOST:PORT/eureka");
  if (settings.svcPort === 0 && !settings.instancePortAsSvcPort) {
    throw badSource(url.name, "without svcPort the ports of instances have to be ports of services");
  }
  const scheme = url.scheme.slice("eureka+".length);
  const { refreshPeriod = 30_000, timeout = 30_000, delta = true, maxDrop = 50, dropGrace = 90_000 } = query;
  return new EurekaSource({
    ...settings,
    ...defaultRetention,
    ...registrySettings(query),
    name: credentials === undefined ? url.name : url.name.replace(`${credentials}@`, ""),
    servers: servers.split(",").map((server) => {
      const address = `${scheme}://${credentials === undefined ? "" : `${credentials}@`}${server}${path}`;
      if (server === "" || !URL.canParse(address)) throw badSource(url.name, `"${server}" is not HOST:PORT`);
      return new HttpEurekaServer({ url: address, clock, timeoutMs: timeout });
    }),
    clock,
    refreshMs: refreshPeriod,
    deltas: delta,
    maxDrop: maxDrop / 100,
    dropGraceMs: dropGrace,
  });
};
