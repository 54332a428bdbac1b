import { defaultOptions } from "../../src/app/options/options.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { wire } from "../../src/app/wire.ts";
import type { Logger } from "../../src/lib/logger.ts";
import { YamlSource } from "../../src/testing/galley/yaml-source.ts";
import { smallShop } from "../../src/testing/mesh/small-shop.ts";

/** The ports with pages. */
export type PagePort = "http" | "metrics" | "ctrlz";

const anyPort = "127.0.0.1:0";
const ports = { xds: "off", http: anyPort, metrics: anyPort, ctrlz: anyPort };

const ignore = () => undefined;

/** A whole server on a small mesh, with its pages on loopback. Collects the errors that it logs. */
export async function startPages() {
  const errors: string[] = [];
  const error = (...facts: readonly unknown[]): void => {
    errors.push(facts.map((fact) => JSON.stringify(fact, withMessages)).join(" "));
  };
  const logger: Logger = { debug: ignore, info: ignore, warn: ignore, error, child: () => logger };
  const source = new YamlSource("fuzz");
  source.apply(smallShop);
  const options = { ...defaultOptions(), ...ports, sources: [], drainMs: 0 };
  const { lifecycle, listeners } = wire(options, { clock: systemClock, logger, version: "fuzz", ownSources: [source] });
  await lifecycle.start();
  return { errors, addressOf: (port: PagePort) => listeners.addresses[port], stop: () => lifecycle.stop() };
}

/** JSON shows nothing of an error. */
function withMessages(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
