import { peerPath } from "../../../../scripts/peer.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { Child } from "../child.ts";
import { freePort } from "../free-port.ts";
import { ask } from "../http.ts";

/**
 * Settings that keep waiting times of tests short. The server checks leases every second, serves at once after a
 * restart, and computes answers on request. An answer computed during a registration may lack it, and is cached all the
 * same. So the cache lives for one second, not for three minutes as usual.
 */
const settings = {
  "eureka.client.register-with-eureka": false,
  "eureka.client.fetch-registry": false,
  "eureka.server.enable-self-preservation": false,
  "eureka.server.eviction-interval-timer-in-ms": 1000,
  "eureka.server.use-read-only-response-cache": false,
  "eureka.server.response-cache-auto-expiration-in-seconds": 1,
  "eureka.server.wait-time-in-ms-when-sync-empty": 0,
  "spring.main.banner-mode": "off",
  "server.address": "127.0.0.1",
};

interface Instance {
  readonly app: string;
  readonly id: string;
  readonly address?: string;
  readonly port?: number;
  readonly leaseSeconds?: number;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A real Eureka server, and the actions of instances and operators. Needs the peer `eureka`. */
export class Eureka implements AsyncDisposable {
  readonly port: number;
  readonly #process: Child;

  private constructor(executable: string, port: number) {
    const args = Object.entries({ ...settings, "server.port": port }).map(([key, value]) => `--${key}=${value}`);
    this.port = port;
    this.#process = new Child(executable, args);
  }

  /** Resolves when the server serves: after five seconds, or twenty on a busy machine. */
  static async start(): Promise<Eureka> {
    const eureka = new Eureka(await peerPath("eureka"), await freePort());
    await eureka.#serves();
    return eureka;
  }

  async register({
    app,
    id,
    address = "127.0.0.1",
    port = 8080,
    leaseSeconds = 600,
    metadata = {},
  }: Instance): Promise<void> {
    const instance = {
      instanceId: id,
      app,
      hostName: address,
      ipAddr: address,
      vipAddress: app,
      status: "UP",
      port: { $: port, "@enabled": "true" },
      metadata,
      dataCenterInfo: { "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", name: "MyOwn" },
      leaseInfo: { renewalIntervalInSecs: 1, durationInSecs: leaseSeconds },
    };
    await this.#ask("POST", `/apps/${app}`, JSON.stringify({ instance }));
  }

  renew(app: string, id: string): Promise<void> {
    return this.#ask("PUT", `/apps/${app}/${id}`);
  }

  deregister(app: string, id: string): Promise<void> {
    return this.#ask("DELETE", `/apps/${app}/${id}`);
  }

  /** Sets an operator's status of an instance, which overrides its own status. Undefined removes the override. */
  override(app: string, id: string, status: string | undefined): Promise<void> {
    const path = `/apps/${app}/${id}/status`;
    return status === undefined ? this.#ask("DELETE", `${path}?value=UP`) : this.#ask("PUT", `${path}?value=${status}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process.stop();
  }

  async #serves(): Promise<void> {
    const serves = () => this.#ask("GET", "/apps").then(() => true);
    await eventually("Eureka serves", serves, { seconds: 300 }).catch((cause: unknown) => {
      throw new Error(`Eureka did not start:\n${this.#process.log()}`, { cause });
    });
  }

  async #ask(method: string, path: string, body?: string): Promise<void> {
    const headers = { "content-type": "application/json", accept: "application/json" };
    const { status } = await ask(method, this.port, `/eureka${path}`, { headers, ...(body !== undefined && { body }) });
    if (status >= 300) throw new Error(`${method} ${path}: ${status}`);
  }
}
