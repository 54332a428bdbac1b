import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  credentials,
  type StatusObject,
} from "@grpc/grpc-js";
import { type Bound, eventually } from "../../../../src/testing/eventually.ts";

/** One of the two forms of ADS: its method and its messages. */
export interface AdsForm<Request extends DescMessage, Response extends DescMessage> {
  readonly path: string;
  readonly request: Request;
  readonly response: Response;
}

/** An ADS stream of a stock gRPC library; what arrives is kept by type until someone asks for it. */
export class AdsStream<Request extends DescMessage, Response extends DescMessage> implements Disposable {
  readonly #form: AdsForm<Request, Response>;
  readonly #client: Client;
  readonly #call: ClientDuplexStream<MessageShape<Request>, MessageShape<Response>>;
  readonly #arrived: MessageShape<Response>[] = [];
  /** The bytes of all messages so far. */
  receivedBytes = 0;
  /** How the stream ended. */
  readonly ended: Promise<StatusObject>;
  #end: StatusObject | undefined;

  /**
   * In plain text unless there is something to show.
   *
   * @param server a port of this machine, or an address as gRPC libraries write it
   */
  constructor(
    server: number | string,
    form: AdsForm<Request, Response>,
    shown: ChannelCredentials = credentials.createInsecure(),
  ) {
    this.#form = form;
    // Envoy takes responses of any size.
    const settings = { "grpc.enable_http_proxy": 0, "grpc.max_receive_message_length": -1 };
    this.#client = new Client(typeof server === "string" ? server : `127.0.0.1:${server}`, shown, settings);
    this.#call = this.#client.makeBidiStreamRequest(
      form.path,
      (request: MessageShape<Request>) => Buffer.from(toBinary(form.request, request)),
      (bytes: Buffer) => {
        this.receivedBytes += bytes.length;
        return fromBinary(form.response, bytes);
      },
    );
    this.#call.on("data", (response: MessageShape<Response>) => this.#arrived.push(response));
    // The status says the same; without a listener the error would end the process.
    this.#call.on("error", () => {});
    this.ended = new Promise((resolve) => this.#call.once("status", resolve));
    this.#call.once("status", (status) => {
      this.#end = status;
    });
  }

  send(request: MessageInitShape<Request>): void {
    this.#call.write(create(this.#form.request, request));
  }

  /** The next response of the type that nobody has taken yet. */
  next(typeUrl: string, bound: Bound = { seconds: 10 }): Promise<MessageShape<Response>> {
    return eventually(`a response of type ${typeUrl}`, () => this.#take(typeUrl), bound);
  }

  /** How many responses of the type wait to be taken. */
  waiting(typeUrl: string): number {
    return this.#arrived.filter((response) => isOfType(response, typeUrl)).length;
  }

  [Symbol.dispose](): void {
    this.#call.cancel();
    this.#client.close();
  }

  #take(typeUrl: string): MessageShape<Response> | undefined {
    const index = this.#arrived.findIndex((response) => isOfType(response, typeUrl));
    if (index >= 0) return this.#arrived.splice(index, 1)[0];
    // The caller learns why it waited in vain.
    if (this.#end !== undefined) throw new Error(`the stream ended with ${this.#end.code}: ${this.#end.details}`);
    return undefined;
  }
}

function isOfType(response: object, typeUrl: string): boolean {
  return "typeUrl" in response && response.typeUrl === typeUrl;
}
