import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { Redial } from "../../lib/time/redial.ts";
import type { GrpcClient } from "../../transport/client/grpc-client.ts";
import { resourceSinkPath } from "./mcp-paths.ts";
import { tapped } from "./tapped-stream.ts";

export interface CalloutOptions {
  readonly client: GrpcClient;
  readonly clock: Clock;
  readonly random: () => number;
  /** Serves a sink that was dialled: with the trigger that makes it speak first. */
  readonly serve: (stream: GrpcStream) => void;
  /** A stream was taken by the sink. */
  readonly onTaken: () => void;
}

/** A sink that we call, again whenever its stream has ended. */
export class Callout {
  readonly #options: CalloutOptions;
  readonly #redial: Redial;
  #stream: GrpcStream | undefined;
  #open = false;

  constructor(options: CalloutOptions) {
    this.#options = options;
    const { clock, random } = options;
    this.#redial = new Redial({ clock, random, dial: () => this.#dial() });
  }

  /** Resolves when the sink is being called, whether or not it answers. */
  async start(): Promise<void> {
    await this.#options.client.start();
    this.#open = true;
    this.#dial();
  }

  async stop(): Promise<void> {
    this.#open = false;
    this.#redial.stop();
    this.#stream?.end(GrpcStatus.CANCELLED);
    await this.#options.client.stop();
  }

  #dial(): void {
    if (!this.#open) return;
    const { client, serve, onTaken } = this.#options;
    const stream = client.open(resourceSinkPath, onTaken);
    this.#stream = stream;
    serve(
      tapped(stream, {
        onMessage: () => this.#redial.worked(),
        onClose: () => {
          if (this.#open) this.#redial.later();
        },
      }),
    );
  }
}
