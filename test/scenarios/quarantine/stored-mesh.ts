import { keepRefusals } from "../../../src/app/quarantine/shared-refusals.ts";
import { configId } from "../../../src/config/config.ts";
import type { DocumentStore, StoredDocument } from "../../../src/lib/document-store.ts";
import { eventually } from "../../../src/testing/eventually.ts";
import { RecordingLogger } from "../../../src/testing/recording/recording-logger.ts";
import { PoisonedMesh, route, service, theGateway } from "./poisoned-mesh.ts";

export const base = [theGateway, service("backend"), route(0, "good")];
export const id = configId("VirtualService", "shop", "vs-1");
/** Milliseconds since 1970. */
export const day = 1_800_000_000_000;
const bound = { seconds: 20 };

/** Fails the test. */
export function unexpected(error: unknown): never {
  throw error;
}

/** A store that several replicas share, in memory. */
export class SharedStore implements DocumentStore<string> {
  stored: StoredDocument<string> | undefined;
  #revisions = 0;
  readonly #watchers = new Set<() => void>();
  /** Runs before the next write, as a faster replica does. */
  beforeWrite: () => void = () => undefined;
  /** The answers of the store wait for it. */
  answers: Promise<unknown> = Promise.resolve();

  async read(): Promise<StoredDocument<string> | undefined> {
    const { stored } = this;
    await this.answers;
    return stored;
  }

  async replace(previous: string | undefined, text: string): Promise<StoredDocument<string>> {
    await this.answers;
    this.beforeWrite();
    this.beforeWrite = () => undefined;
    if (previous === this.stored?.revision) this.put(text);
    return this.stored ?? { content: "", revision: "0" };
  }

  put(text: string): void {
    this.#revisions += 1;
    this.stored = { content: text, revision: String(this.#revisions) };
    this.tell();
  }

  remove(): void {
    this.stored = undefined;
    this.tell();
  }

  tell(): void {
    for (const changed of this.#watchers) changed();
  }

  watch(onChange: () => void): { stop(): void } {
    this.#watchers.add(onChange);
    return { stop: () => this.#watchers.delete(onChange) };
  }
}

/** A server whose refusals are in this store. */
export function serve(store: DocumentStore<string>, ...objects: readonly string[]) {
  return serveAt(day, store, objects);
}

/** A server that starts an hour after the refusals were stored. */
export function serveLater(store: DocumentStore<string>, ...objects: readonly string[]) {
  return serveAt(day + 3_600_000, store, objects);
}

async function serveAt(time: number, store: DocumentStore<string>, objects: readonly string[]) {
  const setting = await PoisonedMesh.start(...objects);
  const { discovery, clock } = setting.mesh;
  const logger = new RecordingLogger();
  if (discovery.quarantine === undefined) throw new Error("no quarantine");
  const { quarantine } = discovery;
  const keeper = keepRefusals({
    quarantine,
    store,
    clock,
    timeOfDay: () => time + clock.now(),
    logger,
    onFailure: unexpected,
  });
  await keeper.start();
  const settle = async () => {
    await setting.settle();
    await setting.settle();
  };
  // A file is read and written while turns pass: their number says nothing.
  const settleUntil = (what: string, holds: () => boolean) =>
    eventually(
      what,
      async () => {
        await settle();
        return holds();
      },
      bound,
    );
  return { setting, quarantine, keeper, logger, settle, settleUntil };
}
