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
import type { Ground, Part } from "./parts/part.ts";
import { type Component, component, Lifecycle, withFlagNamed } from "./process/lifecycle.ts";

/** How much longer a component may take to stop than streams get to end by themselves. */
const stopSlackMs = 5_000;

/**
 * A process around its parts: probes, pages, metrics and introspection, up before the first part and down after the
 * last, so that they tell of a start that takes its time. Throws `bad-option` when there is no part.
 */
export function hostOf(ground: Ground, access: Access, parts: readonly Part[]): Lifecycle {
  if (parts.length === 0) {
    throw new MeshError("bad-option", "nothing to do: there is neither a --source nor a --webhook");
  }
  const { clock, logs, options } = ground;
  const emitters = parts.map(({ emitter }) => emitter);
  const components = [
    ...fileProbes(ground, emitters),
    ...access.components,
    ...servers(ground, access, { parts, emitters }),
    ...introspection(ground, access, parts),
    ...parts.flatMap((part) => part.components),
  ];
  return new Lifecycle({
    components,
    clock,
    logger: logs.logger("server"),
    stopWithinMs: options.drainMs + stopSlackMs,
  });
}

function fileProbes({ options, logs, supervisor }: Ground, ready: readonly Emitter[]): readonly Component[] {
  if (options.livenessFile !== undefined && options.livenessFile === options.readinessFile) {
    throw new MeshError("bad-option", "--liveness-file and --readiness-file say different things: they are two files");
  }
  const probes = [
    ["liveness-file", options.livenessFile, [alive]],
    ["readiness-file", options.readinessFile, ready],
  ] as const;
  return probes.flatMap(([name, file, emitters]) => {
    if (file === undefined) return [];
    const intervalMs = options.probeIntervalMs;
    const clock = supervisor.clockFor(name);
    const onFailure = (error: unknown) => void supervisor.failed(name, error);
    const probe = new FileProbe({ file, intervalMs, emitters, clock, logger: logs.logger("server"), onFailure });
    return [withFlagNamed(component(name, { start: () => probe.start(), stop: () => probe.stop() }))];
  });
}

interface Pages {
  readonly parts: readonly Part[];
  readonly emitters: readonly Emitter[];
}

function servers(ground: Ground, { viewers }: Access, { parts, emitters }: Pages): readonly Component[] {
  const { options, logs, metrics, supervisor, listeners, version } = ground;
  const onFailure = (error: unknown) => void supervisor.failed("pages", error);
  const logger = logs.logger("server");
  const pages = parts.flatMap(({ pages = [] }) => pages);
  const routes = httpRoutes({ emitters, addresses: () => listeners.addresses, pages });
  return [
    listeners.component("http", new HttpServer({ address: options.http, routes, logger, viewers, onFailure })),
    listeners.component(
      "metrics",
      new HttpServer({ address: options.metrics, routes: metricsRoutes(metrics, version), logger, onFailure }),
    ),
  ];
}

function introspection(ground: Ground, { viewers }: Access, parts: readonly Part[]): readonly Component[] {
  const { options, logs, metrics, supervisor, listeners, version } = ground;
  const graphs = new Map(parts.flatMap(({ graphs = [] }) => [...graphs]));
  const topics = [
    scopesTopic(logs),
    ...parts.flatMap(({ topics = [] }) => topics),
    collectionsTopic(graphs),
    metricsTopic(metrics),
    ...processTopics(process, version),
  ];
  const profiler = new Profiler(supervisor.clockFor("profiler"));
  const more = options.profiling ? profilingRoutes(profiler) : [];
  const logger = logs.logger("server");
  const onFailure = (error: unknown) => void supervisor.failed("ctrlz", error);
  const server = new HttpServer({
    address: options.ctrlz,
    routes: ctrlzRoutes({ topics, more }),
    logger,
    viewers,
    onFailure,
  });
  const listener = {
    async start(): Promise<string> {
      if (server.bound === "network") logger.warn({ address: options.ctrlz }, "ctrlz is open to the network");
      try {
        return await server.start();
      } catch (thrown) {
        const { code, message } = MeshError.from(thrown);
        // Nobody asked for this address: a second process on one machine goes without rather than not at all.
        if (code !== "listen-failed" || options.ctrlz !== optionTable.ctrlz.default) throw thrown;
        logger.warn({ reason: message }, "no introspection");
        return "off";
      }
    },
    stop: () => server.stop(),
  };
  const profiling = component("profiling", { start: () => profiler.start(), stop: () => profiler.stop() });
  return [...(options.profiling ? [profiling] : []), listeners.component("ctrlz", listener)];
}
