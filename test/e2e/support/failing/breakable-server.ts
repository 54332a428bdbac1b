import { onTestFinished } from "vitest";
import { defaultOptions, type Options } from "../../../../src/app/options/options.ts";
import type { PressureMeter } from "../../../../src/app/overload/process-pressure.ts";
import { wire } from "../../../../src/app/wire.ts";
import { kinds } from "../../../../src/config/kinds.ts";
import { MemorySource } from "../../../../src/galley/source/memory-source.ts";
import { collectionOf, configIn } from "../../../../src/testing/config/configs-in.ts";
import { quickClock } from "../../../../src/testing/quick-clock.ts";
import { FaultyLogger } from "../../../../src/testing/recording/faulty-logger.ts";
import { TempTree } from "../../../../src/testing/temp-tree.ts";

export const anyPort = "127.0.0.1:0";

/** Measures an idle process. */
const calm: PressureMeter = {
  heapLimitBytes: Number.POSITIVE_INFINITY,
  start: () => undefined,
  stop: () => undefined,
  measure() {
    const memory = { usedBytes: 0, limitBytes: 1 };
    return { loopDelayMs: 0, heap: memory, resident: memory };
  },
};

/** A server in this process with one ServiceEntry, whose inner parts a test can break while it runs. */
export async function startBreakable(settings: Partial<Options> = {}) {
  const tree = await TempTree.create();
  const logger = new FaultyLogger();
  const source = new MemorySource({ name: "test", collections: kinds.map(({ collection }) => collection) });
  const options = {
    ...defaultOptions(),
    xds: anyPort,
    http: anyPort,
    metrics: anyPort,
    ctrlz: anyPort,
    sources: [],
    // Six seconds of the quick clock.
    drainMs: 300_000,
    // Measured by a quick clock, a first answer seems to cost so much that the next proxy would have to wait.
    streamsPerSecond: 1_000,
    readinessFile: tree.path("ready"),
    livenessFile: tree.path("alive"),
    ...settings,
  };
  const wired = wire(options, { clock: quickClock, logger, version: "test", pressure: calm, ownSources: [source] });
  onTestFinished(async () => {
    await wired.lifecycle.stop();
    await tree.close();
  });
  putServiceEntry(source, "before");
  await wired.lifecycle.start();
  return { ...wired, source, logger, tree };
}

export type Breakable = Awaited<ReturnType<typeof startBreakable>>;

export function putYaml(source: MemorySource, yaml: string): void {
  const config = configIn(yaml);
  source.set(collectionOf(config), config);
}

export function putServiceEntry(source: MemorySource, name: string): void {
  putYaml(
    source,
    `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ${name}, namespace: shop }
spec:
  hosts: [${name}.example.com]
  resolution: STATIC
  ports: [{ number: 80, name: http, protocol: HTTP }]
  endpoints: [{ address: 10.0.0.1 }]
`,
  );
}

function fail(): never {
  throw new Error("planted");
}

/** From now on, the property throws. */
export function breakGetter(target: object, name: string): void {
  Object.defineProperty(target, name, { get: fail });
}

/** The method throws until the test has finished. */
export function breakMethod<Target extends object>(target: Target, name: keyof Target): void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value: fail, configurable: true });
  onTestFinished(() => void Object.defineProperty(target, name, before ?? {}));
}
