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
  #addresses: Addresses = { xds: "off", http: "off", metrics: "off", webhook: "off", ctrlz: "off" };

  /** `off` for those that the process does not have, and empty until one is open. */
  get addresses(): Addresses {
    return this.#addresses;
  }

  /** The server as a part of the lifecycle. What is wrong with its address is said under the name of its flag. */
  component(name: keyof Addresses, listener: Listener): Component {
    this.#set(name, "");
    return {
      name,
      start: async () => {
        const address = await listener.start().catch((thrown: unknown) => {
          const { code, message } = MeshError.from(thrown);
          throw new MeshError(code, `--${name}: ${message}`, { cause: thrown });
        });
        this.#set(name, address);
      },
      stop: async () => {
        await listener.stop();
        this.#set(name, "");
      },
    };
  }

  #set(name: keyof Addresses, address: string): void {
    this.#addresses = { ...this.#addresses, [name]: address };
  }
}
