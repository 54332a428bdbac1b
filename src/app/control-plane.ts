import type { Addresses } from "../admin/state.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { createLogger } from "./logger.ts";
import { defaultOptions, type Options } from "./options.ts";
import { systemClock } from "./system-clock.ts";
import { readVersion } from "./version.ts";
import { wire } from "./wire.ts";

/** All settings have the defaults of the command line. */
export interface ControlPlaneOptions extends Partial<Options> {
  /** In place of the one that `logLevel` and `logFormat` describe. */
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** What is in the mesh, and what is wrong with its configuration. */
export interface Summary {
  readonly services: number;
  readonly warnings: number;
  readonly errors: number;
}

/** Galley and Pilot in this process. It is started and stopped once. */
export interface ControlPlane {
  /**
   * Resolves when every source was read, all of it is in what proxies get, and proxies are taken. Rejects with
   * `source-unavailable` or `listen-failed`; nothing is left running then.
   */
  start(): Promise<Addresses>;
  /** Ends all streams and resolves when everything is quiet. */
  stop(): Promise<void>;
  /** Reads the sources again, whether or not a change was noticed. */
  reload(): Promise<void>;
  /** Resolves when every change noticed so far was pushed. */
  idle(): Promise<void>;
  summary(): Summary;
}

/** Throws `bad-option` for settings that cannot be used. */
export function createControlPlane({ logger, clock, ...options }: ControlPlaneOptions = {}): ControlPlane {
  const settings = { ...defaultOptions(), ...options };
  const { lifecycle, listeners, sources, processor, environment, discovery } = wire(settings, {
    clock: clock ?? systemClock,
    logger: logger ?? createLogger({ level: settings.logLevel, format: settings.logFormat }),
    version: readVersion(),
  });
  return {
    async start() {
      await lifecycle.start();
      return listeners.addresses;
    },
    stop: () => lifecycle.stop(),
    async reload() {
      await Promise.all(sources.map((source) => source.reload()));
    },
    async idle() {
      await processor.idle();
      await discovery.idle();
    },
    summary() {
      const issues = [...processor.issues.values()].flatMap((part) => part.issues);
      const warnings = issues.filter(({ severity }) => severity === "warning").length;
      return { services: environment.services.size, warnings, errors: issues.length - warnings };
    },
  };
}
