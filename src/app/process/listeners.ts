import type { Addresses } from "../../admin/state.ts";
import { type Component, withFlagNamed } from "./lifecycle.ts";

/** A server that tells where it listens. */
export interface Listener {
  start(): Promise<string>;
  stop(): Promise<void>;
}

/** Knows where every server of the process listens. */
export class Listeners {
  #addresses: Addresses = {
    xds: "off",
    "xds-tls": "off",
    http: "off",
    metrics: "off",
    webhook: "off",
    mcp: "off",
    ctrlz: "off",
  };

  /** `off` for those that the process does not have, and empty until one is open. */
  get addresses(): Addresses {
    return this.#addresses;
  }

  /** The server as a part of the lifecycle. What is wrong with its address is said under the name of its flag. */
  component(name: keyof Addresses, listener: Listener): Component {
    this.#set(name, "");
    return withFlagNamed({
      name,
      start: async () => this.#set(name, await listener.start()),
      stop: async () => {
        // Whoever asks whether we are ready hears first that we no longer are.
        this.#set(name, "");
        await listener.stop();
      },
    });
  }

  #set(name: keyof Addresses, address: string): void {
    this.#addresses = { ...this.#addresses, [name]: address };
  }
}
