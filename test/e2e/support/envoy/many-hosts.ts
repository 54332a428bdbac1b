import { defaultOptions } from "../../../../src/app/options/options.ts";
import { type ProtocolSettings, protocolDefaults } from "../../../../src/app/pipeline.ts";
import { systemClock } from "../../../../src/app/process/system-clock.ts";
import { wire } from "../../../../src/app/wire.ts";
import { YamlSource } from "../../../../src/testing/galley/yaml-source.ts";
import { type LogLine, RecordingLogger } from "../../../../src/testing/recording/recording-logger.ts";
import { freePort } from "../free-port.ts";
import { objectYaml } from "../yaml.ts";

/** One response, as the server logs it. */
export interface LoggedResponse {
  readonly type: string;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
}

/** A gateway with very many virtual hosts, and a server in this process that can be restarted on its port. */
export class ManyHosts implements AsyncDisposable {
  readonly source = new YamlSource("many-hosts");
  readonly xdsPort: number;
  /** Where the gateway listens. */
  readonly port: number;
  readonly #lines: LogLine[] = [];
  #httpPort = 0;
  #stop: () => Promise<void> = () => Promise.resolve();

  private constructor(xdsPort: number, port: number) {
    this.xdsPort = xdsPort;
    this.port = port;
  }

  static async open(count: number): Promise<ManyHosts> {
    const hosts = new ManyHosts(await freePort(), await freePort());
    hosts.source.batch(() => {
      hosts.source.apply(hosts.gateway);
      hosts.source.apply(answering("everything-else", "*", "nobody"));
      for (let index = 0; index < count; index++)
        hosts.source.apply(answering(`h${index}`, `h${index}.example`, "one"));
    });
    return hosts;
  }

  get gateway(): string {
    const server = { port: { number: this.port, name: "http", protocol: "HTTP" }, bind: "127.0.0.1", hosts: ["*"] };
    return objectYaml("Gateway", "public", { selector: { app: "gw" }, servers: [server] }, "istio-system");
  }

  /** The port of the debug pages. */
  get httpPort(): number {
    return this.#httpPort;
  }

  async start(protocol: Partial<ProtocolSettings> = {}): Promise<void> {
    this.#httpPort = await freePort();
    const addresses = { xds: `127.0.0.1:${this.xdsPort}`, http: `127.0.0.1:${this.#httpPort}`, metrics: "127.0.0.1:0" };
    const context = {
      clock: systemClock,
      logger: new RecordingLogger(this.#lines),
      version: "test",
      protocol: { ...protocolDefaults, ...protocol },
      ownSources: [this.source],
    };
    const options = { ...defaultOptions(), ...addresses, ctrlz: "off" as const, sources: [] };
    const { lifecycle } = wire({ ...options, logLevel: { xds: "debug" } }, context);
    await lifecycle.start();
    this.#stop = () => lifecycle.stop();
  }

  async restart(protocol: Partial<ProtocolSettings> = {}): Promise<void> {
    await this.#stop();
    await this.start(protocol);
  }

  /** The types of responses since the last call of {@link newResponses}. */
  get answeredTypes(): readonly string[] {
    return pushesIn(this.#lines).map(({ type }) => type);
  }

  /** The responses to all proxies since the last call. */
  newResponses(): readonly LoggedResponse[] {
    return pushesIn(this.#lines.splice(0));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }
}

function pushesIn(lines: readonly LogLine[]): readonly LoggedResponse[] {
  // Lines of other levels sum the responses to many proxies.
  const pushes = lines.filter(({ level, message }) => level === "debug" && message === "push");
  return pushes.map(({ fields }) => fields as unknown as LoggedResponse);
}

/** A VirtualService of the gateway that answers requests for a host with a text. */
export function answering(name: string, host: string, text: string): string {
  return virtualService(name, host, { directResponse: { status: 200, body: { string: text } } });
}

/** A VirtualService of the gateway that sends requests for a host to a service. */
export function forwarding(name: string, host: string, service: string, port: number): string {
  const destination = { host: `${service}.shop.svc.cluster.local`, port: { number: port } };
  return virtualService(name, host, { route: [{ destination }] });
}

function virtualService(name: string, host: string, route: object): string {
  return objectYaml("VirtualService", name, { hosts: [host], gateways: ["istio-system/public"], http: [route] });
}
