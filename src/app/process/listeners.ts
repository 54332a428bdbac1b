import type { Addresses } from "../../admin/state.ts";
import { type Component, withFlagNamed } from "./lifecycle.ts";

/** A server that reports its address. */
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

  /** `off` for listeners that the process does not have; empty until a listener is open. */
  get addresses(): Addresses {
    return this.#addresses;
  }

  /** The server as a component of the lifecycle. An error in its address names its flag. */
  component(name: keyof Addresses, listener: Listener): Component {
    this.#set(name, "");
    return withFlagNamed({
      name,
      start: async () => this.#set(name, await listener.start()),
      stop: async () => {
        // Readiness turns false before the listener stops.
        this.#set(name, "");
        await listener.stop();
      },
    });
  }

  #set(name: keyof Addresses, address: string): void {
    this.#addresses = { ...this.#addresses, [name]: address };
  }
}
