import type { Addresses } from "../admin/state.ts";
import type { Processor } from "../galley/processor/processor.ts";
import type { Source } from "../galley/source/source.ts";
import { errorFrom, MeshError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { Clock } from "../lib/time/clock.ts";
import { processLog } from "./log/process-log.ts";
import { defaultOptions, galleyDefaults, type Options, pilotDefaults } from "./options/options.ts";
import { systemClock } from "./process/system-clock.ts";
import { readVersion } from "./process/version.ts";
import { type Surroundings, type Wired, wire, wireGalley } from "./wire.ts";

/** All settings have the defaults of the command line. */
export interface ControlPlaneOptions extends Partial<Options> {
  /** In place of the one that `logFormat` describes. `logLevel` holds for it, too. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Sources of the program around, such as a `MemorySource`. They win a name clash with `sources`. */
  readonly ownSources?: readonly Source[];
}

/** What is wrong with the configuration. */
export interface IssueCounts {
  readonly warnings: number;
  readonly errors: number;
}

/** What is in the mesh. */
export interface Summary extends IssueCounts {
  readonly services: number;
}

/** What Galley has, by itself. */
export interface GalleySummary extends IssueCounts {
  readonly objects: number;
}

/** A server in this process. It is started and stopped once. */
export interface Server<Counts> {
  /**
   * Resolves when every source was read, all of it is in what is served, and clients are taken. Rejects with
   * `source-unavailable` or `listen-failed`; nothing is left running then.
   */
  start(): Promise<Addresses>;
  /** Ends all streams and resolves when everything is quiet. */
  stop(): Promise<void>;
  /** Logs a failure that no part owns, with its stack, and then does what `stop` does: what is served may be half-made. */
  abandon(thrown: unknown): Promise<void>;
  /**
   * Reads the sources again, whether or not a change was noticed. Where settings are read again, too, it goes on with
   * the sources that they name now. Rejects when it cannot: then it goes on with those it has.
   */
  reload(urls?: () => readonly string[]): Promise<void>;
  /** Resolves when every change noticed so far has left. */
  idle(): Promise<void>;
  summary(): Counts;
}

/** Galley and Pilot in this process. */
export type ControlPlane = Server<Summary>;

/** Throws `bad-option` for settings that cannot be used. */
export function createControlPlane(options: ControlPlaneOptions = {}): ControlPlane {
  const [settings, surroundings] = settle(options);
  return controlPlaneOf(wire(settings, surroundings));
}

/** Pilot alone, for what Galleys elsewhere have. Throws `bad-option`, also when it is not said where they are. */
export function createPilot(options: ControlPlaneOptions = {}): ControlPlane {
  const [settings, surroundings] = settle({ ...pilotDefaults, ...options });
  if (settings.sources.length + (options.ownSources ?? []).length === 0) {
    throw new MeshError("bad-option", "there is no --source to read from, such as mcp://127.0.0.1:9901");
  }
  return controlPlaneOf(wire(settings, surroundings, ["pilot"]));
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

/** Galley alone: sources to snapshots, the admission webhook, or both. Throws `bad-option` when it is neither. */
export function createGalley(options: ControlPlaneOptions = {}): Server<GalleySummary> {
  const [settings, surroundings] = settle({ ...galleyDefaults, ...options });
  const wired = wireGalley(settings, surroundings);
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

function settle({ logger, clock, ownSources = [], ...options }: ControlPlaneOptions): [Options, Surroundings] {
  const settings = { ...defaultOptions(), ...options };
  const surroundings = {
    clock: clock ?? systemClock,
    ...(logger === undefined ? processLog(settings.logFormat) : { logger }),
    version: readVersion(),
    ownSources,
  };
  return [settings, surroundings];
}

/** `halt` keeps news from leaving: streams are told where to go, and nothing else. */
function serverOf({ lifecycle, listeners, logs, sources, processor }: Wired, halt: () => void) {
  return {
    async start(): Promise<Addresses> {
      await lifecycle.start();
      return listeners.addresses;
    },
    async stop(): Promise<void> {
      logs.logger("server").info({}, "stopping");
      await lifecycle.stop();
    },
    async abandon(thrown: unknown): Promise<void> {
      halt();
      logs.logger("server").error({ err: errorFrom(thrown) }, "failure without an owner: draining, then exiting");
      await lifecycle.stop();
    },
    async reload(urls?: () => readonly string[]): Promise<void> {
      const logger = logs.logger("source");
      logger.info({}, "reading sources again");
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

/** An object that another source has under the same name is worth a warning, too. */
function issueCounts(processor: Pick<Processor, "issues" | "clashes">): IssueCounts {
  const all = [...processor.issues.values()].flatMap((part) => part.issues);
  const warnings = all.filter(({ severity }) => severity === "warning").length;
  return { warnings: warnings + processor.clashes().length, errors: all.length - warnings };
}
