import type { Connection } from "../../../xds/connection.ts";
import { compareTexts } from "../../../lib/compare.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { type ProxyClass, proxyClassOf } from "../../model/proxy/proxy-class.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import type { Refusal, RefusingClass } from "./refusals.ts";
import type { QuarantineReport, RefusalState, ReportedClass, ReportedRefusal, ReportedReplacement } from "./report.ts";

/** The parts of the quarantine that a report shows. */
export interface ReportInputs extends Pick<QuarantineReport, "released" | "search" | "untrusted"> {
  readonly connections: Iterable<Connection<Proxy>>;
  readonly classes: readonly RefusingClass[];
  readonly stateOf: (classId: string, refusal: Refusal) => RefusalState;
  /** How many of these connected proxies of a class already get the object. */
  readonly servedTo: (classId: string, refusal: Refusal) => number;
}

export function buildReport(inputs: ReportInputs): QuarantineReport {
  const { released, search, untrusted } = inputs;
  const classes = classesIn(inputs);
  const refusals = inputs.classes.flatMap(({ proxies, refusals: all }) => {
    const connected = classes.get(proxies.id)?.proxies ?? 0;
    return Array.from(all.values(), (refusal): ReportedRefusal => {
      const { id, version, reason, rejected, since, node, confirmedBy, probes, instead } = refusal;
      const facts = { classId: proxies.id, id, version, reason, rejected, since, node, confirmedBy, probes };
      const keptFrom = connected - inputs.servedTo(proxies.id, refusal);
      return { ...facts, keptFrom, instead: replacementIn(instead), state: inputs.stateOf(proxies.id, refusal) };
    });
  });
  return {
    classes: [...classes.values()].toSorted((a, b) => compareTexts(a.description, b.description)),
    refusals: refusals.toSorted((a, b) => a.since - b.since),
    released,
    search,
    untrusted,
  };
}

function classesIn({ connections, classes }: ReportInputs): ReadonlyMap<string, ReportedClass> {
  const counts = new Map<ProxyClass, number>();
  const byId = new Map<string, ProxyClass>();
  const known = (proxies: ProxyClass) => {
    const first = byId.get(proxies.id) ?? proxies;
    byId.set(proxies.id, first);
    return first;
  };
  for (const { proxies } of classes) counts.set(known(proxies), 0);
  for (const { client } of connections) {
    const proxies = known(proxyClassOf(client));
    counts.set(proxies, (counts.get(proxies) ?? 0) + 1);
  }
  return new Map(Array.from(counts, ([{ id, name }, proxies]) => [id, { id, description: name, proxies }]));
}

function replacementIn({ type, objects }: Replacement): ReportedReplacement {
  if (type !== "earlier version") return { type };
  const version = [...objects.values()].find((config) => config !== undefined)?.version;
  return { type, version: version ?? "" };
}
