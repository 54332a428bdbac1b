import { defaultOptions, type Options } from "../../../src/app/options/options.ts";
import { systemClock } from "../../../src/app/process/system-clock.ts";
import { wire } from "../../../src/app/wire.ts";
import { kinds } from "../../../src/config/kinds.ts";
import { MemorySource } from "../../../src/galley/source/memory-source.ts";
import type { Clock } from "../../../src/lib/time/clock.ts";
import { collectionOf, configIn } from "../../../src/testing/config/configs-in.ts";
import { EnvoyModel } from "../../../src/testing/envoy/envoy-model.ts";
import { eventually } from "../../../src/testing/eventually.ts";
import { RecordingLogger } from "../../../src/testing/recording/recording-logger.ts";
import { gateway, has, readPoisoned } from "../../scenarios/quarantine/poisoned-mesh.ts";
import { portOf } from "../support/http.ts";
import { metric } from "../support/metrics.ts";

const anyPort = "127.0.0.1:0";
const patience = { seconds: 30 };

export interface ReplicaOptions {
  readonly settings: Partial<Options>;
  /** Objects beside those of its sources. */
  readonly objects?: readonly string[];
  readonly clock?: Clock;
}

/** A whole server in this process, with gateways that refuse objects with the word `poison`. */
export class Replica implements AsyncDisposable {
  readonly logger: RecordingLogger;
  readonly #wired: ReturnType<typeof wire>;
  readonly #source: MemorySource;
  readonly #gateways: EnvoyModel[] = [];

  private constructor(logger: RecordingLogger, wired: ReturnType<typeof wire>, source: MemorySource) {
    this.logger = logger;
    this.#wired = wired;
    this.#source = source;
  }

  static async start({ settings, objects = [], clock = systemClock }: ReplicaOptions): Promise<Replica> {
    const logger = new RecordingLogger();
    const source = new MemorySource({ name: "test", collections: kinds.map(({ collection }) => collection) });
    const addresses = { xds: anyPort, http: "off", metrics: anyPort, ctrlz: "off" };
    const options = { ...defaultOptions(), sources: [], drainMs: 0, ...addresses, ...settings };
    const replica = new Replica(
      logger,
      wire(options, { clock, logger, version: "test", ownSources: [source] }),
      source,
    );
    replica.put(...objects);
    await replica.#wired.lifecycle.start();
    return replica;
  }

  put(...objects: readonly string[]): void {
    for (const config of objects.map((each) => configIn(each))) this.#source.set(collectionOf(config), config);
  }

  /** Connects a gateway of the same class as all others. */
  connect(number: number): EnvoyModel {
    const envoy = new EnvoyModel(number % 2 === 0 ? "delta" : "sotw", readPoisoned, gateway(number));
    envoy.connect(this.#wired.discovery);
    this.#gateways.push(envoy);
    return envoy;
  }

  /** `VirtualService/shop/vs-1: earlier version`, in order. */
  get refused(): readonly string[] {
    const { scopes = [] } = this.#wired.discovery.quarantine ?? {};
    const all = scopes.flatMap(({ refusals }) => [...refusals.values()]);
    return all.map(({ id, instead }) => `${id}: ${instead.type}`).toSorted();
  }

  /** The searches that this replica began, by their ends. */
  get searches(): readonly string[] {
    return this.logger.lines
      .map(({ message }) => message)
      .filter((message) => /^search|^no object found/u.test(message));
  }

  has(message: string): boolean {
    return this.logger.lines.some((line) => line.message === message);
  }

  async metric(name: string, labels?: string): Promise<number> {
    return await metric(portOf(this.#wired.listeners.addresses.metrics), name, labels);
  }

  /** Lets the gateways answer until this holds. */
  async until(state: string, holds: () => boolean): Promise<void> {
    await eventually(
      state,
      () => {
        for (const envoy of this.#gateways) while (envoy.step());
        return holds();
      },
      patience,
    ).catch((cause: unknown) => {
      throw new Error(`${state}: ${JSON.stringify(this.logger.lines.slice(-20))}`, { cause });
    });
  }

  async untilServed(envoy: EnvoyModel, text: string): Promise<void> {
    await this.until(`a gateway has ${text}`, () => has(envoy, text));
  }

  async untilRefused(...objects: readonly string[]): Promise<void> {
    await this.until(`refused: ${objects.join() || "nothing"}`, () => this.refused.join() === objects.join());
  }

  async untilLogged(message: string): Promise<void> {
    await this.until(`the log line ${message}`, () => this.has(message));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const envoy of this.#gateways) envoy.disconnect();
    await this.#wired.lifecycle.stop();
  }
}
