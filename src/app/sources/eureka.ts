import { isKnownProtocol } from "../../config/rules/port.ts";
import { eurekaLimits } from "../../galley/source/eureka/eureka-limits.ts";
import { HttpEurekaServer } from "../../galley/source/eureka/eureka-server.ts";
import { createEurekaSource } from "../../galley/source/eureka/eureka-source.ts";
import {
  defaultServiceSettings,
  type EurekaNaming,
  type EurekaServiceSettings,
} from "../../galley/source/eureka/services-of.ts";
import { defaultRetention } from "../../galley/source/registry/registry-state.ts";
import { count, durationMs, oneOf, onOff, periodMs, singleText, type ValueType } from "../options/option-values.ts";
import { type LoginQuery, loginFrom, loginQuery } from "./login.ts";
import type { MakeSource } from "./make-source.ts";
import { type RegistryQuery, registryQuery, registrySettings } from "./registry-settings.ts";
import { badSource, type QueryTypes, readQuery, type SourceUrl } from "./source-url.ts";

/** Query settings of an `eureka+http:` URL. */
interface EurekaQuery extends RegistryQuery, LoginQuery {
  readonly refresh: number;
  readonly timeout: number;
  readonly "max-answer": number;
  readonly delta: boolean;
  readonly "max-drop": number;
  readonly "drop-grace": number;
  readonly "group-by": EurekaNaming["groupBy"];
  readonly namespace: string;
  readonly "namespace-host": boolean;
  readonly "domain-suffix": boolean;
  readonly "app-suffix": string;
  readonly "project-code": boolean;
  readonly "registry-id": string;
  readonly protocol: string;
  readonly port: number;
  readonly "instance-port": boolean;
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

const eurekaQuery: QueryTypes<EurekaQuery> = {
  ...registryQuery,
  ...loginQuery,
  refresh: periodMs,
  timeout: periodMs,
  "max-answer": count,
  delta: onOff,
  "max-drop": percent,
  "drop-grace": durationMs,
  "group-by": oneOf(["app", "hostname"]),
  namespace: singleText("NAMESPACE"),
  "namespace-host": onOff,
  "domain-suffix": onOff,
  "app-suffix": singleText("TEXT"),
  "project-code": onOff,
  "registry-id": singleText("ID"),
  protocol,
  port: count,
  "instance-port": onOff,
};

/** `eureka+http://HOST:PORT[,HOST:PORT]/PATH`, replicas of one registry under one path; with TLS, `eureka+https:`. */
export const eurekaSource: MakeSource = (url, { clock, options }) => {
  const query = readQuery(url, eurekaQuery);
  const { refresh = 30_000, timeout = eurekaLimits.exchangeMs.most, delta = true, "max-drop": maxDrop = 50 } = query;
  const { "max-answer": answerBytes = eurekaLimits.answerBytes.most } = query;
  const login = loginFrom(url, query);
  return createEurekaSource({
    ...serviceSettings(url, query, options.domain),
    ...defaultRetention,
    ...registrySettings(query),
    name: url.name,
    servers: serversAt(url).map(
      (at) => new HttpEurekaServer({ url: at, clock, timeoutMs: timeout, limits: { answerBytes }, ...login }),
    ),
    clock,
    refreshMs: refresh,
    deltas: delta,
    maxDrop: maxDrop / 100,
    dropGraceMs: query["drop-grace"] ?? 90_000,
  });
};

function serviceSettings({ name }: SourceUrl, query: Partial<EurekaQuery>, domain: string): EurekaServiceSettings {
  const usual = defaultServiceSettings;
  const { namespace = usual.namespace, protocol: usualProtocol = usual.protocol, port = usual.port } = query;
  const { "instance-port": instancePort = usual.instancePort } = query;
  if (port === 0 && !instancePort) throw badSource(name, "instance-port=off needs port=");
  return {
    groupBy: query["group-by"] ?? usual.groupBy,
    namespace,
    namespaceHost: query["namespace-host"] ?? usual.namespaceHost,
    domainSuffix: query["domain-suffix"] ?? usual.domainSuffix,
    domain,
    appSuffix: query["app-suffix"] ?? usual.appSuffix,
    projectCode: query["project-code"] ?? usual.projectCode,
    registryId: query["registry-id"] ?? usual.registryId,
    protocol: usualProtocol,
    port,
    instancePort,
  };
}

function serversAt({ name, scheme, rest }: SourceUrl): readonly string[] {
  const { hosts = "", path = "" } = /^\/\/(?<hosts>[^/@]+)(?<path>\/.*)?$/u.exec(rest)?.groups ?? {};
  return hosts.split(",").map((host) => {
    const at = `${scheme.slice("eureka+".length)}://${host}${path}`;
    if (host !== "" && URL.canParse(at)) return at;
    throw badSource(
      name,
      `expected ${scheme}://HOST:PORT[,HOST:PORT]/PATH; credentials are ?user=NAME&password-file=FILE`,
    );
  });
}
