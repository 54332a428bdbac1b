import { isDebugType } from "../../admin/debug-xds/debug-types.ts";
import { defaultOptions, type Options } from "../../app/options/options.ts";
import { buildPipeline } from "../../app/pipeline.ts";
import { recordedSettings } from "../../app/recording/recorded-settings.ts";
import { discoverySettings } from "../../app/xds/discovery-settings.ts";
import { encodeLine } from "../../history/log-line.ts";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { recordedSource } from "../../recording/recorded-event.ts";
import { Recorder } from "../../recording/recorder.ts";
import { RecordingText } from "../../recording/recording-text.ts";
import type { StreamKind } from "../../xds/xds-server.ts";
import { EnvoyModel, type ModelNode, settleAll } from "../envoy/envoy-model.ts";
import { readEnvoyResource } from "../envoy/envoy-resources.ts";
import { FakeClock } from "../fake-clock.ts";
import { YamlSource } from "../galley/yaml-source.ts";
import { smallShop } from "../mesh/small-shop.ts";
import { turns } from "../until.ts";
import { RecordingObserver } from "./recording-observer.ts";

const shopNode: ModelNode = {
  nodeId: "sidecar~10.0.0.1~web-0.shop~shop.svc.cluster.local",
  metadata: { CLUSTER_ID: "Kubernetes" },
};

/** The pipeline of a server in memory, with a recorder around it. */
export class RecordedShop {
  readonly clock = new FakeClock();
  readonly source = new YamlSource("test");
  readonly lines: string[] = [];
  readonly unrecorded: string[] = [];
  readonly discovery: ReturnType<typeof buildPipeline>["discovery"];
  readonly #text = new RecordingText(isDebugType);
  readonly #pipeline: ReturnType<typeof buildPipeline>;

  constructor(settings: Partial<Options> = {}) {
    const options = { ...defaultOptions(), ...settings };
    const recorder = new Recorder({
      clock: this.clock,
      later: setImmediate,
      settled: (run) => queueMicrotask(() => process.nextTick(run)),
      onStep: (step) => this.lines.push(...linesOf(this.#text.step(step))),
      onUnrecorded: (what) => this.unrecorded.push(what),
    });
    const source = recordedSource(this.source, recorder);
    this.#pipeline = buildPipeline({
      sources: [source],
      settings: options,
      entrance: recorder,
      ...discoverySettings(options, recorder.clock),
      turn: recorder.turn,
      observer: new RecordingObserver(),
      onUpdate: () => undefined,
      onSnapshotError: (error) => {
        throw error;
      },
    });
    this.discovery = this.#pipeline.discovery;
    const { name, collections } = source;
    const head = { format: 1, binnacle: "test", startedAt: 1_700_000_000_000, clockAt: 0 } as const;
    const settingsOf = recordedSettings(options);
    this.lines.push(this.#text.head({ ...head, settings: settingsOf, sources: [{ name, collections }] }));
  }

  async start(): Promise<void> {
    this.#pipeline.snapshotter.start();
    await this.#pipeline.processor.start();
    await this.pass(100);
    this.discovery.markReady();
    await this.pass(10);
  }

  connect(mode: "sotw" | "delta", node = shopNode): EnvoyModel {
    const envoy = new EnvoyModel(mode, readEnvoyResource, node);
    envoy.connect(this);
    return envoy;
  }

  /** A client on this machine. */
  serve(stream: GrpcStream, kind: StreamKind): void {
    this.discovery.serve(Object.assign(stream, { peer: { address: "127.0.0.1:1" } }), kind);
  }

  /** Time goes by, in steps that let the event loop turn. */
  async pass(ms: number): Promise<void> {
    for (let rest = ms; rest > 0; rest -= 5) {
      this.clock.advance(Math.min(5, rest));
      await turns(2);
    }
  }

  /** Until the proxies have read everything. */
  settle(...envoys: readonly EnvoyModel[]): Promise<void> {
    return settleAll(envoys, () => this.pass(30));
  }

  get text(): string {
    return [...this.lines, this.#text.end("the server stopped")].join("");
  }
}

function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/u);
}

/** The shop with a timeout in the route that sidecars have. */
const editedShop = smallShop.replace("  - route: [{", "  - timeout: 3s\n    route: [{");

/** A proxy that connects to a shop, and gets a changed route then. */
export async function recordedShop(): Promise<string> {
  const shop = new RecordedShop();
  shop.source.apply(smallShop);
  await shop.start();
  const envoy = shop.connect("delta");
  await shop.settle(envoy);
  shop.source.apply(editedShop);
  await shop.settle(envoy);
  return shop.text;
}

/** Changes the steps of a recording, and writes their checksums again. `change` returns the JSON of a step, or nothing. */
export function withSteps(text: string, change: (json: string) => string | undefined): string {
  return linesOf(text)
    .map((line) => {
      const json = /^[0-9a-f]{16} step (?<json>.*)\n$/u.exec(line)?.groups?.["json"];
      if (json === undefined) return line;
      const changed = change(json);
      return changed === undefined ? "" : encodeLine("step", changed);
    })
    .join("");
}

/** The recording of the shop with another edit than the server got. */
export function withChangedRoute(text: string): string {
  return withSteps(text, (json) => json.replace('"timeout":"3s"', '"timeout":"5s"'));
}
