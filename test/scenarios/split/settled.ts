import type { ControlPlaneOptions } from "../../../src/app/control-plane.ts";
import { defaultOptions, type Options } from "../../../src/app/options/options.ts";
import { systemClock } from "../../../src/app/process/system-clock.ts";
import type { wireGalley } from "../../../src/app/wire.ts";
import type { YamlSource } from "../../../src/testing/galley/yaml-source.ts";
import { RecordingLogger } from "../../../src/testing/recording/recording-logger.ts";

const quiet: Partial<Options> = {
  sources: [],
  http: "off",
  metrics: "off",
  ctrlz: "off",
  xds: "127.0.0.1:0",
  maxConnectionAgeMs: 0,
  debounceAfterMs: 0,
  mcpDebounceAfterMs: 0,
};

/** The wiring of a process that serves proxies, without debounce and with a quiet log. */
export function settled(options: ControlPlaneOptions, source?: YamlSource): Parameters<typeof wireGalley> {
  const context = { clock: systemClock, logger: new RecordingLogger(), version: "test" };
  const ownSources = source === undefined ? [] : [source];
  return [
    { ...defaultOptions(), ...quiet, logLevel: { default: "error" }, ...options },
    { ...context, ownSources },
  ];
}
