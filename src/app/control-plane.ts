import type { Addresses } from "../admin/state.ts";
import { foldIssues } from "../config/fold-issues.ts";
import type { Processor } from "../galley/processor/processor.ts";
import type { Source } from "../galley/source/source.ts";
import { errorFrom, MeshError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { Clock } from "../lib/time/clock.ts";
import { countBy } from "./gauges/count-by.ts";
import { processLog } from "./log/process-log.ts";
import { defaultOptions, galleyDefaults, type Options, pilotDefaults } from "./options/options.ts";
import type { HostContext } from "./process/process-context.ts";
import { ProcessPressure } from "./overload/process-pressure.ts";
import { systemClock } from "./process/system-clock.ts";
import { readVersion } from "./process/version.ts";
import { emptyFiles } from "./sources/empty-files.ts";
import { type Wired, wire, wireGalley } from "./wire.ts";

/** All settings have the defaults of the command line. */
export interface ControlPlaneOptions extends Partial<Options> {
  /** Replaces the logger that `logFormat` describes. `logLevel` applies to it too. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Sources of the embedding program, such as a `MemorySource`. They win a name clash with `sources`. */
  readonly ownSources?: readonly Source[];
}

/** Counts of the problems in the configuration. */
export interface IssueCounts {
  readonly warnings: number;
  readonly errors: number;
  /** Number of security objects that are not enforced, by kind. */
  readonly unenforced: Readonly<Record<string, number>>;
}

/** Counts of the objects in the mesh. */
export interface Summary extends IssueCounts {
  readonly services: number;
}

/** Counts of the objects in Galley alone. */
export interface GalleySummary extends IssueCounts {
  readonly objects: number;
}

/** A server in this process. It is started and stopped once. */
export interface Server<Counts> {
  /**
   * Resolves when every source is read, all of its configuration is served, and clients can connect. Rejects with
   * `source-unavailable` or `listen-failed`; then nothing is left running.
   */
  start(): Promise<Addresses>;
  /** Ends all streams and resolves when everything is quiet. */
  stop(): Promise<void>;
  /** Logs a failure that no part owns, with its stack, and then stops: the served state may be inconsistent. */
  abandon(thrown: unknown): Promise<void>;
  /**
   * Reads the sources again, even without a change event. If the settings are read again too, switches to the sources
   * that they name now. Rejects on failure, and then keeps the current sources.
   */
  reload(urls?: () => readonly string[]): Promise<void>;
  /** Resolves when every change seen so far is pushed. */
  idle(): Promise<void>;
  summary(): Counts;
}

/** Galley and Pilot in this process. */
export type ControlPlane = Server<Summary>;

/** Throws `bad-option` for settings that cannot be used. */
export function createControlPlane(options: ControlPlaneOptions = {}): ControlPlane {
  const [settings, host] = settle(options);
  return controlPlaneOf(wire(settings, host));
}

/** Pilot alone, fed by remote Galleys. Throws `bad-option`, also if no source is given. */
export function createPilot(options: ControlPlaneOptions = {}): ControlPlane {
  const [settings, host] = settle({ ...pilotDefaults, ...options });
  if (settings.sources.length + (options.ownSources ?? []).length === 0) {
    throw new MeshError("bad-option", "set --source to read configuration from, such as mcp://127.0.0.1:9901");
  }
  return controlPlaneOf(wire(settings, host, ["pilot"]));
}

function controlPlaneOf(wired: ReturnType<typeof wire>): ControlPlane {
  const { processor, discovery, environment } = wired;
  return {
    ...serverOf(wired, () => discovery.stop()),
    async idle() {
      await processor.idle();
      await discovery.idle();
    },
    summary: () => ({ services: environment.services.size, ...issueCounts(processor) }),
  };
}

/** Galley alone: sources to snapshots, the admission webhook, or both. Throws `bad-option` for neither. */
export function createGalley(options: ControlPlaneOptions = {}): Server<GalleySummary> {
  const [settings, host] = settle({ ...galleyDefaults, ...options });
  const wired = wireGalley(settings, host);
  const { processor } = wired;
  return {
    ...serverOf(wired, () => {}),
    idle: () => processor.idle(),
    summary: () => ({
      objects: processor.objects,
      ...issueCounts(processor),
    }),
  };
}

function settle({ logger, clock, ownSources = [], ...options }: ControlPlaneOptions): [Options, HostContext] {
  const settings = { ...defaultOptions(), ...options };
  const host = {
    clock: clock ?? systemClock,
    ...(logger === undefined ? processLog(settings.logFormat) : { logger }),
    version: readVersion(),
    pressure: new ProcessPressure(),
    ownSources,
  };
  return [settings, host];
}

/** `halt` stops pushes, so that draining streams get no further updates. */
function serverOf({ lifecycle, listeners, logs, sources, processor }: Wired, halt: () => void) {
  return {
    async start(): Promise<Addresses> {
      await lifecycle.start();
      for (const path of emptyFiles(processor)) logs.logger("source").warn({ path }, "no objects found");
      return listeners.addresses;
    },
    async stop(): Promise<void> {
      logs.logger("server").info({}, "stopping");
      await lifecycle.stop();
    },
    async abandon(thrown: unknown): Promise<void> {
      halt();
      logs.logger("server").error({ err: errorFrom(thrown) }, "unexpected failure: draining, then exiting");
      await lifecycle.stop();
    },
    async reload(urls?: () => readonly string[]): Promise<void> {
      const logger = logs.logger("source");
      logger.info({}, "reloading sources");
      try {
        if (urls !== undefined) await sources.replace(urls(), processor);
      } catch (thrown) {
        logger.error({ reason: MeshError.from(thrown).message }, "sources not replaced");
        throw thrown;
      } finally {
        await sources.reload();
      }
    },
  };
}

/** A name clash between two sources counts as a warning too. */
function issueCounts(processor: Pick<Processor, "issues" | "clashes">): IssueCounts {
  const { issues: all } = foldIssues([...processor.issues.values()].flatMap((part) => part.issues));
  const warnings = all.filter(({ severity }) => severity === "warning").length;
  const unenforced = all.filter(({ code, severity }) => code === "no-effect" && severity === "error");
  const objects = [...new Set(unenforced.map(({ object }) => object))];
  return {
    warnings: warnings + processor.clashes().length,
    errors: all.length - warnings,
    unenforced: Object.fromEntries(countBy(objects, (object) => object.slice(0, object.indexOf(" ")))),
  };
}
