import { create, toBinary } from "@bufbuild/protobuf";
import { Auth, AuthenticateRequestSchema, AuthenticateResponseSchema } from "#gen/etcd/rpc_pb.js";
import type { GrpcConnection } from "../lib/grpc/grpc-connection.ts";
import type { Metadata } from "../lib/grpc/grpc-stream.ts";
import { decodeAnswer } from "./decode-values.ts";
import { needsNoLogin } from "./etcd-error.ts";
import { methodPath } from "./method-path.ts";

export interface EtcdCredentials {
  readonly user: string;
  readonly password: string;
}

const noToken: Metadata = {};

/** Logs in once for all calls, and again after a token was refused. */
export class EtcdLogin {
  readonly #credentials: () => Promise<EtcdCredentials>;
  #token: Promise<Metadata> | undefined;

  /** `credentials` is called for every login, so that a changed password needs no restart. */
  constructor(credentials: () => Promise<EtcdCredentials>) {
    this.#credentials = credentials;
  }

  /** The metadata of a call by the user. A server without users needs none. */
  async metadata(connection: GrpcConnection): Promise<Metadata> {
    const token = (this.#token ??= this.#logIn(connection));
    try {
      return await token;
    } catch (thrown) {
      this.#forget(token);
      throw thrown;
    }
  }

  /** After the server refused this metadata: the next call logs in again, unless another call has done so. */
  async refused(metadata: Metadata): Promise<void> {
    const token = this.#token;
    if (token !== undefined && (await token.catch(() => metadata)) === metadata) this.#forget(token);
  }

  #forget(token: Promise<Metadata>): void {
    if (this.#token === token) this.#token = undefined;
  }

  async #logIn(connection: GrpcConnection): Promise<Metadata> {
    const { user: name, password } = await this.#credentials();
    const request = toBinary(AuthenticateRequestSchema, create(AuthenticateRequestSchema, { name, password }));
    try {
      const answer = await connection.call(methodPath(Auth.method.authenticate), request, noToken);
      return { token: decodeAnswer(AuthenticateResponseSchema, answer).token };
    } catch (thrown) {
      if (needsNoLogin(thrown)) return noToken;
      throw thrown;
    }
  }
}
