import { compareTexts } from "../../../lib/compare.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import type { Overload } from "../../../lib/overload/overload.ts";
import { type ResourceName, resourceNames, resources } from "../../../lib/overload/pressure.ts";
import { works } from "../../../lib/overload/work.ts";
import { pushPhases } from "../../journal/push-phases.ts";
import type { ControlPlaneState } from "../control-plane-state.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, problem } from "../endpoint.ts";
import type {
  CertificateFacts,
  ControlPlane,
  LoadFacts,
  LogFacts,
  ProcessFacts,
  StreamCounts,
} from "../model/control-plane.ts";

export function showControlPlane(state: DeskState): ApiAnswer {
  const { controlPlane: own, journal, server } = state;
  const body: ControlPlane = {
    version: server.version,
    commit: server.commit,
    startedAt: server.startedAt,
    addresses: { ...own.addresses() },
    streams: streamCounts(state),
    queue: {
      ...own.queue(),
      settled: state.settled(),
      debounce: { afterMs: own.debounce.quietMs, maxMs: own.debounce.maxWaitMs },
      pushesLastMinute: journal.perMinute().at(-1) ?? 0,
    },
    pushPhases: pushPhases(journal.pushes),
    process: processFacts(own),
    load: loadFacts(own.overload),
    certificates: own.certificates().toSorted(firstToExpire),
    log: logFacts(own),
    problems: own.problems(),
  };
  return found(body);
}

export function setLogLevel({ controlPlane }: DeskState, { body }: ApiRequest): ApiAnswer {
  if (!isMapping(body) || typeof body["scope"] !== "string") {
    return problem(400, 'expected {"scope": "…", "level": "…"}');
  }
  const { scope, level } = body;
  const refused = controlPlane.scopes.adjust(scope, level);
  if (refused === undefined) return found(logFacts(controlPlane));
  const isScopeKnown = controlPlane.scopes.list().some(({ name }) => name === scope);
  return problem(400, `${isScopeKnown ? "level" : "scope"}: ${refused}`);
}

function streamCounts({ connections, controlPlane }: DeskState): StreamCounts {
  const counts = { total: 0, sotw: 0, delta: 0 };
  for (const { mode } of connections()) {
    counts.total++;
    counts[mode]++;
  }
  return { ...counts, ...controlPlane.desks() };
}

function processFacts({ memory, overload, watchdog }: ControlPlaneState): ProcessFacts {
  const { pressure } = overload;
  return {
    ...memory(),
    ...(pressure && { heapLimitBytes: pressure.heap.limitBytes, eventLoopDelayMs: pressure.loopDelayMs }),
    watchdog: watchdog(),
  };
}

/** Shares of memory are between 0 and 1. */
const units: Readonly<Record<ResourceName, "ms" | "share">> = {
  "event loop": "ms",
  heap: "share",
  memory: "share",
  "push queue": "ms",
};

function loadFacts(overload: Overload): LoadFacts {
  const { level, reason, resource, pressure } = overload;
  return {
    level,
    ...(reason !== undefined && { reason }),
    ...(resource !== undefined && { advice: resources[resource].advice }),
    resources:
      pressure === undefined
        ? []
        : resourceNames.map((name) => ({
            name,
            unit: units[name],
            value: resources[name].measure(pressure),
            elevated: resources[name].thresholds[0],
          })),
    work: works.map((name) => ({ name, pace: overload.paceOf(name), shed: overload.shedCounts.get(name) ?? 0 })),
  };
}

function logFacts({ scopes }: ControlPlaneState): LogFacts {
  return { scopes: scopes.list().map(({ name, doc, level }) => ({ name, doc, level })), levels: scopes.levels };
}

function firstToExpire(a: CertificateFacts, b: CertificateFacts): number {
  return compareTexts(a.expires, b.expires) || compareTexts(a.name, b.name);
}
