import type { Addresses } from "../admin/state.ts";
import { MeshError } from "../lib/errors.ts";
import type { Component } from "./lifecycle.ts";

/** A server that tells where it listens. */
export interface Listener {
  start(): Promise<string>;
  stop(): Promise<void>;
}

/** Knows where every server of the process listens. */
export class Listeners {
  #addresses: Addresses = { xds: "", http: "", metrics: "", webhook: "" };

  /** As far as they are open. */
  get addresses(): Addresses {
    return this.#addresses;
  }

  /** The server as a part of the lifecycle. What is wrong with its address is said under the name of its flag. */
  component(name: keyof Addresses, listener: Listener): Component {
    return {
      start: async () => {
        const address = await listener.start().catch((thrown: unknown) => {
          const { code, message } = MeshError.from(thrown);
          throw new MeshError(code, `--${name}: ${message}`, { cause: thrown });
        });
        this.#addresses = { ...this.#addresses, [name]: address };
      },
      stop: async () => {
        await listener.stop();
        this.#addresses = { ...this.#addresses, [name]: "" };
      },
    };
  }
}
