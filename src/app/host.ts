import { collectionsTopic } from "../admin/ctrlz/collections.ts";
import { metricsTopic } from "../admin/ctrlz/metrics-topic.ts";
import { processTopics } from "../admin/ctrlz/process-topics.ts";
import { Profiler } from "../admin/ctrlz/profiler.ts";
import { profilingRoutes } from "../admin/ctrlz/profiling-routes.ts";
import { ctrlzRoutes } from "../admin/ctrlz/routes.ts";
import { scopesTopic } from "../admin/ctrlz/scopes.ts";
import { HttpServer } from "../admin/http-server.ts";
import { alive, type Emitter } from "../admin/probes/emitter.ts";
import { FileProbe } from "../admin/probes/file-probe.ts";
import { httpRoutes, metricsRoutes } from "../admin/routes.ts";
import { MeshError } from "../lib/errors.ts";
import type { Access } from "./access.ts";
import { optionTable } from "./options/options.ts";
import type { ProcessPart, ProcessContext } from "./parts/process-part.ts";
import { type Component, component, Lifecycle, withFlagNamed } from "./process/lifecycle.ts";
import { readBuild } from "./process/version.ts";

/** Extra time for a component to stop, after the drain time of its streams. */
const stopSlackMs = 5_000;

/**
 * Runs the parts of a process with probes, pages, metrics and introspection. These start before the first part and stop
 * after the last one, so that operators can watch a slow start. Throws `bad-option` without parts.
 */
export function hostOf(context: ProcessContext, access: Access, parts: readonly ProcessPart[]): Lifecycle {
  if (parts.length === 0) {
    throw new MeshError("bad-option", "nothing to do: set --source or --webhook");
  }
  const { clock, logs, options, watchdog, load } = context;
  const emitters = parts.map(({ emitter }) => emitter);
  const components = [
    ...(watchdog ? [component("watchdog", { start: () => watchdog.start(), stop: () => watchdog.stop() })] : []),
    ...(load.measures ? [component("load", { start: () => load.start(), stop: () => load.stop() })] : []),
    ...fileProbes(context, emitters),
    ...access.components,
    ...servers(context, access, { parts, emitters }),
    ...introspection(context, access, parts),
    ...parts.flatMap((part) => part.components),
  ];
  return new Lifecycle({
    components,
    clock,
    logger: logs.logger("server"),
    stopWithinMs: options.drainMs + stopSlackMs,
  });
}

function fileProbes({ options, logs, supervisor }: ProcessContext, ready: readonly Emitter[]): readonly Component[] {
  if (options.livenessFile !== undefined && options.livenessFile === options.readinessFile) {
    throw new MeshError("bad-option", "--liveness-file and --readiness-file must be different files");
  }
  const probes = [
    ["liveness-file", options.livenessFile, [alive]],
    ["readiness-file", options.readinessFile, ready],
  ] as const;
  return probes.flatMap(([name, file, emitters]) => {
    if (file === undefined) return [];
    const intervalMs = options.probeIntervalMs;
    const clock = supervisor.clockFor(name);
    const onFailure = supervisor.reporterFor(name);
    const probe = new FileProbe({ file, intervalMs, emitters, clock, logger: logs.logger("server"), onFailure });
    return [withFlagNamed(component(name, { start: () => probe.start(), stop: () => probe.stop() }))];
  });
}

interface Pages {
  readonly parts: readonly ProcessPart[];
  readonly emitters: readonly Emitter[];
}

function servers(context: ProcessContext, { viewers }: Access, { parts, emitters }: Pages): readonly Component[] {
  const { options, logs, metrics, supervisor, listeners, load, watchdog } = context;
  const build = readBuild();
  const onFailure = supervisor.reporterFor("pages");
  const logger = logs.logger("server");
  const pages = parts.flatMap(({ pages = [] }) => pages);
  const guest = parts.find((part) => part.guest !== undefined)?.guest;
  const { overload } = load;
  const stalls = () => watchdog?.stalls ?? 0;
  const routes = httpRoutes({ emitters, addresses: () => listeners.addresses, build, pages, overload, stalls });
  return [
    listeners.component(
      "http",
      new HttpServer({ address: options.http, routes, guest, logger, viewers, onFailure, overload }),
    ),
    listeners.component(
      "metrics",
      new HttpServer({ address: options.metrics, routes: metricsRoutes(metrics, build), logger, onFailure }),
    ),
  ];
}

function introspection(
  context: ProcessContext,
  { viewers }: Access,
  parts: readonly ProcessPart[],
): readonly Component[] {
  const { options, logs, metrics, supervisor, listeners, version } = context;
  const graphs = new Map(parts.flatMap(({ graphs = [] }) => [...graphs]));
  const topics = [
    scopesTopic(logs),
    ...parts.flatMap(({ topics = [] }) => topics),
    collectionsTopic(graphs),
    metricsTopic(metrics),
    ...processTopics(process, version),
  ];
  const profiler = new Profiler(supervisor.clockFor("ctrlz"));
  const more = options.profiling
    ? profilingRoutes(profiler, () => parts.some((part) => part.holdsSecrets?.() === true))
    : [];
  const logger = logs.logger("server");
  const server = new HttpServer({
    address: options.ctrlz,
    routes: ctrlzRoutes({ topics, more }),
    logger,
    viewers,
    onFailure: supervisor.reporterFor("ctrlz"),
  });
  const listener = {
    async start(): Promise<string> {
      if (server.bound === "network") logger.warn({ address: options.ctrlz }, "ctrlz is open to the network");
      try {
        return await server.start();
      } catch (thrown) {
        const { code, message } = MeshError.from(thrown);
        // The user did not set this address. A second process on one machine starts without ControlZ.
        if (code !== "listen-failed" || options.ctrlz !== optionTable.ctrlz.default) throw thrown;
        logger.warn({ reason: message }, "ctrlz not started");
        return "off";
      }
    },
    stop: () => server.stop(),
  };
  const profiling = component("profiling", { start: () => profiler.start(), stop: () => profiler.stop() });
  return [...(options.profiling ? [profiling] : []), listeners.component("ctrlz", listener)];
}
