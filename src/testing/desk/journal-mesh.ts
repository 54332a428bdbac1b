import { buildDiscovery } from "../../app/build-pilot.ts";
import { buildMesh, protocolDefaults } from "../../app/pipeline.ts";
import { Journal } from "../../desk/journal/journal.ts";
import { journalObserver, objectsIn, withJournal } from "../../desk/journal/journal-feed.ts";
import { isEndpointOnly } from "../../pilot/model/push-request.ts";
import type { XdsObserver } from "../../pilot/xds/observer.ts";
import { EnvoyModel, type ModelNode, settleAll } from "../envoy/envoy-model.ts";
import { readEnvoyResource } from "../envoy/envoy-resources.ts";
import { FakeClock } from "../fake-clock.ts";
import { YamlSource } from "../galley/yaml-source.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";
import { StreamTap } from "./stream-tap.ts";

/** The pipeline from a source to proxies with a journal, in memory, and a tap on every stream. */
export class JournalMesh {
  readonly clock = new FakeClock();
  readonly source = new YamlSource();
  readonly observer = new RecordingObserver();
  readonly journal: Journal;
  readonly tap: StreamTap;
  readonly #mesh: ReturnType<typeof buildMesh>;
  readonly #pilot: ReturnType<typeof buildDiscovery>;

  private constructor({ quarantine = false }: { readonly quarantine?: boolean }) {
    const { clock } = this;
    const journal = new Journal({
      now: () => clock.now(),
      start: "s",
      isDispatched: () => this.discovery.queued === 0,
    });
    this.journal = journal;
    this.#mesh = buildMesh({
      sources: [this.source],
      settings: { domain: "cluster.local", clusterId: "Kubernetes" },
      onSnapshotError: (error) => {
        throw error;
      },
    });
    const { pilot, environment } = this.#mesh;
    pilot.onCommit((commit) => journal.committed(commit.sequence, objectsIn(commit, environment)));
    this.#pilot = buildDiscovery(this.#mesh, {
      clock,
      turn: () => Promise.resolve(),
      debounce: { quietMs: 10, maxWaitMs: 100 },
      observer: withJournal(asPlainObject(this.observer), journalObserver(journal)),
      protocol: protocolDefaults,
      quarantine,
      onUpdate(request) {
        const endpointsOnly = isEndpointOnly(request);
        for (const commit of request.commits ?? []) journal.requested(commit, { endpointsOnly });
      },
    });
    this.tap = new StreamTap(this.#pilot.discovery, () => clock.now());
  }

  static async serving(yaml: string, options: { readonly quarantine?: boolean } = {}): Promise<JournalMesh> {
    const mesh = new JournalMesh(options);
    mesh.source.apply(yaml);
    mesh.#mesh.snapshotter.start();
    await mesh.#mesh.processor.start();
    await mesh.pushed();
    await mesh.discovery.caughtUp();
    mesh.discovery.markReady();
    return mesh;
  }

  get discovery() {
    return this.#pilot.discovery;
  }

  get waits() {
    return this.#pilot.waits;
  }

  get environment() {
    return this.#mesh.environment;
  }

  get settings() {
    return this.#mesh.settings;
  }

  get processor() {
    return this.#mesh.processor;
  }

  get encodings(): number {
    return this.#pilot.writer.encodings;
  }

  connect(mode: "sotw" | "delta", node: ModelNode): EnvoyModel {
    const envoy = new EnvoyModel(mode, readEnvoyResource, node);
    envoy.connect(this.tap);
    return envoy;
  }

  /** Lets the debounce pass, and waits until every push has left. */
  async pushed(): Promise<void> {
    this.clock.advance(100);
    await this.discovery.idle();
  }

  settle(envoys: readonly Pick<EnvoyModel, "step">[]): Promise<void> {
    return settleAll(envoys, () => this.pushed());
  }
}

/** The methods of a class are not copied by a spread. */
function asPlainObject(observer: RecordingObserver): XdsObserver {
  const names = Object.getOwnPropertyNames(RecordingObserver.prototype).filter((name) => name !== "constructor");
  const methods = names.map((name) => [name, Reflect.get(observer, name).bind(observer)]);
  return Object.fromEntries(methods) as XdsObserver;
}
