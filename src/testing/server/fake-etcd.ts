import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  Auth,
  KV,
  Lease,
  Watch,
  type WatchRequest,
  WatchRequestSchema,
  WatchResponseSchema,
} from "#gen/etcd/rpc_pb.js";
import { EtcdClient } from "../../etcd/etcd-client.ts";
import { etcdLimits } from "../../etcd/etcd-limits.ts";
import type { EtcdCredentials } from "../../etcd/etcd-login.ts";
import { methodPath } from "../../etcd/method-path.ts";
import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { connectGrpc } from "../../transport/client/grpc-connection.ts";
import { createGrpcServer, type GrpcServer } from "../../transport/server/grpc-server.ts";
import { RecordingLogger } from "../recording/recording-logger.ts";

/** One call as the server saw it. */
interface SeenCall {
  readonly method: string;
  readonly token: string | undefined;
}

/** Why a call fails: etcd's code and words. */
export interface FakeRefusal {
  readonly status: GrpcStatus;
  readonly message: string;
}

interface Method<I extends DescMessage, O extends DescMessage> {
  readonly name: string;
  readonly input: I;
  readonly output: O;
}

type Answer = (request: Uint8Array) => Uint8Array | FakeRefusal | Promise<Uint8Array>;

/** A watch as the server sees it. */
export class FakeWatch {
  readonly requests: WatchRequest["requestUnion"][] = [];
  readonly #stream: GrpcStream;

  constructor(stream: GrpcStream) {
    this.#stream = stream;
    const onMessage = (bytes: Uint8Array) => {
      this.requests.push(fromBinary(WatchRequestSchema, bytes).requestUnion);
    };
    stream.attach({ onMessage, onFlushed: () => {}, onClose: () => {} });
  }

  get closed(): boolean {
    return this.#stream.closed;
  }

  tell(response: MessageInitShape<typeof WatchResponseSchema>): void {
    this.#stream.send(toBinary(WatchResponseSchema, create(WatchResponseSchema, response)), []);
  }

  /** Sends bytes that need not be a message. */
  tellBytes(bytes: Uint8Array): void {
    this.#stream.send(bytes, []);
  }

  end(status: GrpcStatus, message?: string): void {
    this.#stream.end(status, message);
  }
}

/**
 * An etcd on our own gRPC server. It checks passwords and tokens as etcd does. Tests give the answers to calls, and
 * speak on its watches.
 */
export class FakeEtcd implements AsyncDisposable {
  readonly calls: SeenCall[] = [];
  readonly watches: FakeWatch[] = [];
  /** The password of every user. Undefined: the server has no users. */
  password: string | undefined;
  readonly #answers = new Map<string, Answer>();
  readonly #tokens = new Set<string>();
  #logins = 0;
  #server: GrpcServer;
  #address = "";

  private constructor() {
    this.#server = this.#create("127.0.0.1:0");
    this.answer(Auth.method.authenticate, ({ password }) => this.#authenticate(password));
  }

  static async start(): Promise<FakeEtcd> {
    const etcd = new FakeEtcd();
    etcd.#address = await etcd.#server.start();
    return etcd;
  }

  get address(): string {
    return this.#address;
  }

  /** The names of the called methods, in order. */
  get methods(): readonly string[] {
    return this.calls.map(({ method }) => method);
  }

  answer<I extends DescMessage, O extends DescMessage>(
    { name, input, output }: Method<I, O>,
    by: (request: MessageShape<I>) => MessageInitShape<O> | FakeRefusal | Promise<MessageInitShape<O>>,
  ): void {
    const encode = (response: MessageInitShape<O>) => toBinary(output, create(output, response));
    this.#answers.set(name, (bytes) => {
      const response = by(fromBinary(input, bytes));
      if (response instanceof Promise) return response.then(encode);
      return isRefusal(response) ? response : encode(response);
    });
  }

  /** Forgets all tokens, as a restarted member does. */
  forgetTokens(): void {
    this.#tokens.clear();
  }

  /** Ends all connections, and listens again at the same address. */
  async restart(): Promise<void> {
    await this.#server.stop({ graceMs: 0 });
    this.#server = this.#create(this.#address);
    await this.#server.start();
  }

  /** A client of this server. */
  client(credentials?: () => Promise<EtcdCredentials>, limits: Partial<Limits<typeof etcdLimits>> = {}): EtcdClient {
    const { address } = this;
    const calls = { peerName: "etcd", ...limitsOf(etcdLimits, limits) };
    const connect = () => Promise.resolve(connectGrpc({ address, calls, logger: new RecordingLogger() }));
    return new EtcdClient({ connect, credentials });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop({ graceMs: 0 });
  }

  #create(address: string): GrpcServer {
    const unary = [Auth.method.authenticate, KV.method.range, KV.method.txn, Lease.method.leaseGrant];
    const serve =
      ({ name }: { name: string }) =>
      (stream: GrpcStream) =>
        this.#serve(stream, name);
    return createGrpcServer({
      address,
      logger: new RecordingLogger(),
      serverStreaming: new Map(
        [...unary, Lease.method.leaseKeepAlive].map((method) => [methodPath(method), serve(method)]),
      ),
      methods: new Map([[methodPath(Watch.method.watch), (stream: GrpcStream) => this.#watch(stream)]]),
    });
  }

  #watch(stream: GrpcStream): void {
    this.#note(stream, "Watch");
    this.watches.push(new FakeWatch(stream));
  }

  #note(stream: GrpcStream, method: string): string | undefined {
    const token = stream.metadata?.("token");
    this.calls.push({ method, token });
    return token;
  }

  #serve(stream: GrpcStream, method: string): void {
    const token = this.#note(stream, method);
    const respond = async (request: Uint8Array) => {
      const refused = method === "Authenticate" ? undefined : this.#refusalOf(token);
      const response = refused ?? (await this.#answers.get(method)?.(request)) ?? unknown;
      if (!(response instanceof Uint8Array)) return stream.end(response.status, response.message);
      stream.send(response, []);
      stream.end(GrpcStatus.OK);
    };
    stream.attach({ onMessage: (bytes) => void respond(Buffer.from(bytes)), onFlushed: () => {}, onClose: () => {} });
  }

  #refusalOf(token: string | undefined): FakeRefusal | undefined {
    if (this.password === undefined) return undefined;
    if (token === undefined) return { status: GrpcStatus.INVALID_ARGUMENT, message: "etcdserver: user name is empty" };
    if (this.#tokens.has(token)) return undefined;
    return { status: GrpcStatus.UNAUTHENTICATED, message: "etcdserver: invalid auth token" };
  }

  #authenticate(password: string): { readonly token: string } | FakeRefusal {
    if (this.password === undefined)
      return { status: GrpcStatus.FAILED_PRECONDITION, message: "etcdserver: authentication is not enabled" };
    if (password !== this.password) return { status: GrpcStatus.INVALID_ARGUMENT, message: wrongPassword };
    const token = `token-${++this.#logins}`;
    this.#tokens.add(token);
    return { token };
  }
}

const wrongPassword = "etcdserver: authentication failed, invalid user ID or password";
const unknown: FakeRefusal = { status: GrpcStatus.UNIMPLEMENTED, message: "the test gave no answer" };

function isRefusal(response: object): response is FakeRefusal {
  return "status" in response;
}
