import { isDebugType } from "../../admin/debug-xds/debug-types.ts";
import type { Source } from "../../galley/source/source.ts";
import { createTurn } from "../../lib/time/turn.ts";
import { recordedSource } from "../../recording/recorded-event.ts";
import { Recorder } from "../../recording/recorder.ts";
import { RecordingText } from "../../recording/recording-text.ts";
import type { DiscoveryOptions } from "../build-pilot.ts";
import type { ProcessContext, ProcessPart } from "../parts/process-part.ts";
import { component, withFlagNamed } from "../process/lifecycle.ts";
import { recordingPage } from "./recording-page.ts";
import { recordedSettings } from "./recorded-settings.ts";
import { RecordingFile } from "./recording-file.ts";

/** The recording of a server, with `--record`. Everything that the pipeline gets from outside passes through it. */
export class ServerRecording {
  readonly recorder: Recorder;
  readonly #context: ProcessContext;
  readonly #text = new RecordingText(isDebugType);
  readonly #file: RecordingFile;
  readonly #unrecorded = new Set<string>();
  #isOpen = false;

  constructor(context: ProcessContext) {
    this.#context = context;
    const { options, clock, logs } = context;
    this.recorder = new Recorder({
      clock,
      later: setImmediate,
      // A tick that is requested by a promise runs when no promise is left to run.
      settled: (run) => queueMicrotask(() => process.nextTick(run)),
      onStep: (step) => this.#file.add(step),
      onUnrecorded: (what) => this.#note(what),
    });
    this.#file = new RecordingFile({
      path: options.record,
      maxBytes: options.recordMaxBytes,
      text: this.#text,
      turn: createTurn(clock),
      logger: logs.logger("server"),
      onEnd: () => this.recorder.stop(),
    });
  }

  /** Undefined with `--record off`. */
  static of(context: ProcessContext): ServerRecording | undefined {
    return context.options.record === "off" ? undefined : new ServerRecording(context);
  }

  observe(source: Source): Source {
    if (this.#isOpen) this.#note(`the source ${source.name} was added to the running server`);
    return recordedSource(source, this.recorder);
  }

  /** The same options, with a recorder between the server and everything outside. */
  recorded(options: DiscoveryOptions): DiscoveryOptions {
    const { recorder } = this;
    const { askGate, lifecycleHooks, otherClients, overload } = options;
    return {
      ...options,
      clock: recorder.clock,
      turn: recorder.turn,
      ...(overload && { overload: recorder.observed(overload) }),
      ...(askGate && {
        askGate: (gate) => recorder.answered(askGate(gate), (id, answer) => ({ type: "gate", id, answer })),
      }),
      ...(lifecycleHooks && {
        lifecycleHooks: {
          arrived: (proxy) => {
            const refusal = lifecycleHooks.arrived(proxy);
            if (recorder.step !== undefined) recorder.step.refusal = refusal;
            return refusal;
          },
          left: (proxy) => lifecycleHooks.left(proxy),
          handles: (typeUrl) => lifecycleHooks.handles(typeUrl),
          answer: (request) => lifecycleHooks.answer(request),
        },
      }),
      ...(otherClients && {
        otherClients: (node) => {
          const serve = otherClients(node);
          if (serve !== undefined && recorder.step !== undefined) recorder.step.foreign = true;
          return serve;
        },
      }),
    };
  }

  /** Writes the file from the start of the server to its stop. */
  part(sources: () => readonly Source[]): ProcessPart {
    const { options, clock, version } = this.#context;
    const file = withFlagNamed(
      component("record", {
        start: async () => {
          await this.#file.open({
            format: 1,
            binnacle: version,
            startedAt: Date.now(),
            clockAt: Math.floor(clock.now()),
            settings: recordedSettings(options),
            sources: sources().map(({ name, collections }) => ({ name, collections })),
          });
          this.#isOpen = true;
        },
        stop: () => this.#file.close(),
      }),
    );
    return {
      components: [file],
      emitter: { name: "recording", awaited: () => [] },
      pages: [recordingPage(options.record)],
    };
  }

  #note(what: string): void {
    if (this.#unrecorded.has(what)) return;
    this.#unrecorded.add(what);
    const { clock, logs } = this.#context;
    logs.logger("server").warn({ what }, "not recorded");
    this.#file.add(this.#text.unrecorded(what, Math.floor(clock.now())));
  }
}
