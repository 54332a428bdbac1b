import { didYouMean } from "../../lib/did-you-mean.ts";
import { routerScopeFor } from "../../pilot/model/scope/router-scope.ts";
import { scopeRefOf, sidecarScopeFor } from "../../pilot/model/scope/sidecar-scope-for.ts";
import { isHttp, type Port, type Service } from "../../pilot/model/service/service.ts";
import { isVisibleFrom } from "../../pilot/model/service/visibility.ts";
import { type Lookup, type LookupContext, listText, type NearMiss } from "./near-miss.ts";

type Wanted = NonNullable<Lookup["host"]>;

/** Services of that name which this proxy does not see or cannot call so; without any, those of nearly that name. */
export function serviceMisses(context: LookupContext, wanted: Wanted): readonly NearMiss[] {
  const services = [...context.push.services.values()];
  const named = services.filter(({ hostname }) => isNamed(hostname, wanted.hostname));
  const misses = named.flatMap((service) => missOf(service, wanted, context));
  return named.length > 0 ? misses : namesakes(services, wanted.hostname);
}

/** The scope of this proxy: what it may call. */
export function serviceInScope({ proxy, push }: LookupContext, hostname: string): Service | undefined {
  if (proxy.type === "router") return routerScopeFor(proxy.namespace, push).service(hostname);
  return sidecarScopeFor(scopeRefOf(proxy, push), push).service(hostname);
}

/** Also by a name that is cut short, as clients in the same cluster may write it. */
function isNamed(hostname: string, wanted: string): boolean {
  return hostname === wanted || hostname.startsWith(`${wanted}.`);
}

function missOf(service: Service, { hostname, port, http }: Wanted, context: LookupContext): readonly NearMiss[] {
  const { proxy, push } = context;
  const { owner, exportTo, ports } = service;
  const miss = (why: string, object = owner): readonly NearMiss[] => [{ object, why }];
  if (!isVisibleFrom(proxy.namespace, service)) {
    return miss(`has that name, and its exportTo (${listText(exportTo)}) hides it from namespace ${proxy.namespace}`);
  }
  if (serviceInScope(context, service.hostname) === undefined) {
    const sidecar = push.sidecars.get(scopeRefOf(proxy, push).sidecar);
    if (sidecar === undefined) return [];
    return miss(`applies to this proxy and does not import ${service.hostname}`, sidecar.owner);
  }
  if (!hostname.includes(".") && service.namespace !== proxy.namespace && service.hostname !== hostname) {
    return miss(`is ${service.hostname}: ${hostname} alone means a service of namespace ${proxy.namespace}`);
  }
  const found = ports.find(({ number }) => number === port);
  if (found === undefined) return miss(`has port ${listText(ports.map(portText))}, not ${port}`);
  if (!http || isHttp(found.protocol) || found.protocol === "auto") return [];
  return miss(`declares port ${portText(found)} as ${found.protocol}: requests there are not routed`);
}

function portText({ number, name }: Port): string {
  return `${number} (${name})`;
}

function namesakes(services: readonly Service[], wanted: string): readonly NearMiss[] {
  const near = didYouMean(
    wanted,
    services.map(({ hostname }) => hostname),
  );
  const [label = ""] = wanted.split(".");
  return services
    .filter(({ hostname }) => hostname === near || hostname.split(".")[0] === label)
    .map(({ owner, hostname }) => ({ object: owner, why: `is ${hostname}, which is similar to ${wanted}` }));
}
