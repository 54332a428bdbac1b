import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { formatAddress } from "../transport/listen-address.ts";
import { type KeepAliveOptions, keepAlive } from "../transport/keep-alive.ts";
import { Deframer, frameHead } from "../transport/grpc-framing.ts";
import { fleetLimits } from "./fleet-limits.ts";
import type { StreamMode } from "./response.ts";

/** The address of the server. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface AdsCallOptions {
  readonly address: ServerAddress;
  readonly mode: StreamMode;
  /** The read rate in bytes per second; unread bytes wait in the server. Undefined reads without a limit. */
  readonly bytesPerSecond: number | undefined;
  /** Pings, so that a server that vanished without closing is noticed. Undefined sends none. */
  readonly pings: KeepAliveOptions | undefined;
  readonly onOpen: () => void;
  readonly onMessage: (bytes: Uint8Array) => void;
  /** How the stream ended: the gRPC status, or the error. Called once. */
  readonly onClose: (reason: string) => void;
}

const service = "/envoy.service.discovery.v3.AggregatedDiscoveryService";
const paths: Readonly<Record<StreamMode, string>> = {
  sotw: `${service}/StreamAggregatedResources`,
  delta: `${service}/DeltaAggregatedResources`,
};

/** Envoy's receive window per stream. A slow reader has HTTP/2's default. */
const envoyStreamWindow = 16 << 20;
const envoyConnectionWindow = 24 << 20;

/** One ADS stream on its own connection, as Envoy opens it. */
export class AdsCall {
  readonly #options: AdsCallOptions;
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #deframer: Deframer;
  #status: string | undefined;
  #closed = false;
  #rest: NodeJS.Timeout | undefined;

  constructor(options: AdsCallOptions) {
    this.#options = options;
    const { host, port } = options.address;
    const slow = options.bytesPerSecond !== undefined;
    const settings = slow ? {} : { initialWindowSize: envoyStreamWindow };
    this.#session = connect(`http://${formatAddress(host, port)}`, { settings });
    this.#session.once("connect", () => {
      // Closed before it was connected.
      if (this.#session.destroyed) return;
      if (options.pings !== undefined) keepAlive(this.#session, options.pings);
      if (!slow) this.#session.setLocalWindowSize(envoyConnectionWindow);
      options.onOpen();
    });
    this.#session.on("error", (error) => this.#ended(codeOf(error)));
    this.#session.once("close", () => this.#ended("the connection was closed"));
    this.#stream = this.#session.request({
      ":method": "POST",
      ":path": paths[options.mode],
      "content-type": "application/grpc",
      te: "trailers",
    });
    this.#deframer = new Deframer(fleetLimits.messageBytes.most, (bytes) => options.onMessage(bytes));
    this.#listen();
  }

  send(message: Uint8Array): void {
    if (!this.#closed) this.#stream.write(frameHead(message, []));
  }

  /** Closes the connection abruptly, like a killed proxy. No callback runs afterwards. */
  cut(): void {
    this.#closed = true;
    clearTimeout(this.#rest);
    this.#session.destroy();
  }

  #listen(): void {
    const stream = this.#stream;
    stream.on("response", (headers) => this.#read(headers["grpc-status"]));
    stream.on("trailers", (headers) => this.#read(headers["grpc-status"]));
    stream.on("error", (error) => this.#ended(codeOf(error)));
    stream.once("close", () => this.#ended(this.#status ?? resetReason(stream.rstCode)));
    stream.on("data", (chunk: Buffer) => {
      if (this.#closed) return;
      const fault = this.#deframer.push(chunk);
      if (fault !== undefined) return this.#ended(fault.message);
      this.#readSlowly(chunk.length);
    });
  }

  #read(status: string | string[] | undefined): void {
    if (status !== undefined) this.#status = `grpc-status ${String(status)}`;
  }

  #readSlowly(bytes: number): void {
    const { bytesPerSecond } = this.#options;
    if (bytesPerSecond === undefined || this.#closed) return;
    this.#stream.pause();
    this.#rest = setTimeout(() => this.#stream.resume(), (bytes / bytesPerSecond) * 1000);
  }

  #ended(reason: string): void {
    if (this.#closed) return;
    this.cut();
    this.#options.onClose(reason);
  }
}

/** If the connection fails, the stream reports the connection's error as its cause. */
function codeOf(error: Error): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}

function resetReason(code: number | undefined): string {
  return code === undefined || code === constants.NGHTTP2_NO_ERROR
    ? "the stream was closed"
    : `the stream was reset with HTTP/2 error ${code}`;
}
