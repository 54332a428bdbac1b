import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { IstioCertificateRequestSchema, IstioCertificateResponseSchema } from "#gen/istio/v1/auth/ca_pb.js";
import { decodeRoots } from "../../../../src/ca/roots.ts";
import { bytesAsIs } from "../../../../src/testing/stream/grpc-js-rig.ts";

const path = "/istio.v1.auth.IstioCertificateService/CreateCertificate";

/** A client of Istio's certificate service. */
export interface CertificateCaller {
  readonly port: number;
  /** The roots that verify the server, PEM. Undefined for plaintext. */
  readonly roots?: string;
  readonly token?: string;
  /** The client's certificate and key, PEM. */
  readonly pair?: { readonly cert: string; readonly key: string };
}

export interface CertificateWish {
  readonly csr: string;
  readonly seconds?: number;
  readonly metadata?: JsonObject;
}

/** The answer: a chain, or the name of a gRPC status with its message. */
export type CertificateAnswer =
  | { readonly chain: readonly string[] }
  | { readonly status: string; readonly message: string };

/** The root that `--ca self-signed` keeps in its directory. */
export function keptRoot(directory: string): string {
  const [file = ""] = readdirSync(directory);
  return decodeRoots(readFileSync(join(directory, file), "utf8"))?.signing.root ?? "";
}

/** Calls once, over a connection of its own. */
export async function requestCertificate(caller: CertificateCaller, wish: CertificateWish): Promise<CertificateAnswer> {
  using client = new CertificateClient(caller);
  return await client.request(wish);
}

/** Calls over one connection. */
export class CertificateClient implements Disposable {
  readonly #client: Client;
  readonly #metadata = new Metadata();

  constructor({ port, roots, token, pair }: CertificateCaller) {
    const [key, cert] = pair === undefined ? [null, null] : [Buffer.from(pair.key), Buffer.from(pair.cert)];
    const channel =
      roots === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(roots), key, cert);
    this.#client = new Client(`127.0.0.1:${port}`, channel, {
      "grpc.enable_http_proxy": 0,
      "grpc.enable_retries": 0,
      "grpc.ssl_target_name_override": "istiod.istio-system.svc",
    });
    if (token !== undefined) this.#metadata.set("authorization", `Bearer ${token}`);
  }

  async request({ csr, seconds = 0, metadata }: CertificateWish): Promise<CertificateAnswer> {
    const message = create(IstioCertificateRequestSchema, {
      csr,
      validityDuration: BigInt(seconds),
      ...(metadata && { metadata }),
    });
    return await this.send(toBinary(IstioCertificateRequestSchema, message));
  }

  /** Sends any bytes as the request. */
  send(bytes: Uint8Array): Promise<CertificateAnswer> {
    return new Promise((resolve) => {
      const answered = (error: ServiceError | null, response?: Buffer) => {
        if (error !== null) return resolve({ status: status[error.code], message: error.details });
        resolve({ chain: fromBinary(IstioCertificateResponseSchema, response ?? Buffer.alloc(0)).certChain });
      };
      this.#client.makeUnaryRequest(path, bytesAsIs, bytesAsIs, Buffer.from(bytes), this.#metadata, answered);
    });
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}
