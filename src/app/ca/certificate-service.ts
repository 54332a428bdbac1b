import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type IstioCertificateRequest,
  IstioCertificateRequestSchema,
  IstioCertificateResponseSchema,
  IstioCertificateService,
} from "#gen/istio/v1/auth/ca_pb.js";
import type { IssueResult } from "../../admin/metrics/ca-metrics.ts";
import { caLimits } from "../../ca/ca-limits.ts";
import type { CsrResult } from "../../ca/csr.ts";
import type { Signer } from "../../ca/signer.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import { parseSpiffeId } from "../../lib/spiffe-id.ts";
import type { Authenticate } from "../../transport/credentials/authenticator.ts";
import type { MethodTables } from "../../transport/server/method.ts";
import { IssueRate } from "./issue-rate.ts";

export interface CertificateServiceOptions {
  readonly signer: Signer;
  readonly readCsr: (text: string) => Promise<CsrResult>;
  /** Identifies the caller. Its identity is the name in the certificate. */
  readonly authenticate: Authenticate;
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  /** Monotonic milliseconds, for the rate limit. */
  readonly now: () => number;
  readonly logger: Logger;
  readonly rate?: IssueRate;
  /** Counts requests by their result. */
  readonly observer?: { readonly answered: (result: IssueResult) => void };
}

/** A refusal, as its caller sees it. */
interface Refusal {
  readonly result: Exclude<IssueResult, "signed">;
  readonly status: GrpcStatus;
  readonly message: string;
  readonly retryAfterMs?: number;
}

const path = `/${IstioCertificateService.typeName}/CreateCertificate`;
const unauthenticated: Pick<Refusal, "result" | "status"> = {
  result: "unauthenticated",
  status: GrpcStatus.UNAUTHENTICATED,
};

/**
 * Istio's certificate service. The certificate has the identity of the authenticated caller and the key of its request.
 * Our own authority uses nothing else of the request. An external signer refuses a request with other names.
 */
export function certificateMethods(options: CertificateServiceOptions): MethodTables {
  const { logger, observer, rate = new IssueRate() } = options;
  const isNews = rareNews(options.now);
  let waiting = 0;

  const authenticate: Authenticate = async (credentials) => {
    const found = await options.authenticate(credentials);
    if (found.type === "refused") observer?.answered("unauthenticated");
    return found;
  };

  async function answer(stream: GrpcStream, bytes: Uint8Array): Promise<void> {
    waiting += 1;
    const result = await issue({ ...options, rate }, { stream, bytes, waiting }).catch((thrown: unknown): Refusal => {
      logger.error({ err: thrown }, "certificate not signed");
      return { result: "failed", status: GrpcStatus.INTERNAL, message: "internal error" };
    });
    waiting -= 1;
    if (Array.isArray(result)) {
      observer?.answered("signed");
      const response = create(IstioCertificateResponseSchema, { certChain: result });
      stream.send(toBinary(IstioCertificateResponseSchema, response), []);
      return stream.end(GrpcStatus.OK);
    }
    const { result: kind, status, message, retryAfterMs } = result;
    observer?.answered(kind);
    const { address: peer, identities } = stream.peer;
    const level = kind !== "limited" || isNews() ? "warn" : "debug";
    logger[level]({ peer, identities, reason: message }, "certificate request refused");
    stream.end(status, message, retryAfterMs === undefined ? {} : { retryAfterMs });
  }

  const serve = (stream: GrpcStream) =>
    stream.attach({
      onMessage: (bytes) => void answer(stream, new Uint8Array(bytes)),
      onFlushed: () => undefined,
      onClose: () => undefined,
    });
  return { serverStreaming: new Map([[path, serve]]), authenticate };
}

/** Of many refusals, one is logged as a warning in this time. The metric counts all. */
const floodNewsMs = 10_000;

function rareNews(now: () => number): () => boolean {
  let nextAt = Number.NEGATIVE_INFINITY;
  return () => {
    const isDue = now() >= nextAt;
    if (isDue) nextAt = now() + floodNewsMs;
    return isDue;
  };
}

interface Call {
  readonly stream: GrpcStream;
  readonly bytes: Uint8Array;
  /** Requests that wait for their signature, this one included. */
  readonly waiting: number;
}

/** The chain for the response, or the reason why there is none. */
async function issue(
  { signer, readCsr, ttlMs, maxTtlMs, rate, now }: CertificateServiceOptions & { readonly rate: IssueRate },
  { stream, bytes, waiting }: Call,
): Promise<string[] | Refusal> {
  const identity = identityOf(stream);
  if (identity === undefined) return { ...unauthenticated, message: "the caller has no identity of this mesh" };
  const retryAfterMs = waiting > caLimits.waitingRequests.most ? 1_000 : rate.take(identity, now());
  if (retryAfterMs > 0) {
    const message = "too many certificate requests: try again later";
    return { result: "limited", status: GrpcStatus.RESOURCE_EXHAUSTED, message, retryAfterMs };
  }
  const request = decoded(bytes);
  if (request === undefined) return invalid("invalid-csr", "the message is not a certificate request");
  if (impersonated(request)) return { ...unauthenticated, message: "impersonation is not allowed" };
  const wantedMs = Number(request.validityDuration) * 1_000;
  if (wantedMs > maxTtlMs) {
    return invalid("invalid-ttl", `the requested time to live is longer than ${maxTtlMs / 1_000} s`);
  }
  const csr = await readCsr(request.csr);
  if (csr.type === "invalid") return invalid("invalid-csr", `the certificate request is invalid: ${csr.reason}`);
  const names = [{ type: "uri", value: identity }] as const;
  const problem = signer.problemOf?.(request.csr, names);
  if (problem !== undefined) return invalid("invalid-csr", `the certificate request is invalid: ${problem}`);
  const signed = await signer.sign({
    names,
    publicKey: csr.publicKey,
    ttlMs: wantedMs > 0 ? wantedMs : ttlMs,
    csr: () => request.csr,
  });
  if (signed === undefined) {
    return { result: "failed", status: GrpcStatus.INTERNAL, message: "the certificate authority cannot sign now" };
  }
  return [...signed.certificates, signer.trusted.map(withLineEnd).join("")];
}

/** A caller with several names, or with a name that is no workload's, gets no certificate. */
function identityOf({ peer: { identities = [], encrypted } }: GrpcStream): string | undefined {
  const [identity, ...others] = identities;
  if (encrypted !== true || identity === undefined || others.length > 0) return undefined;
  return parseSpiffeId(identity) === undefined ? undefined : identity;
}

function decoded(bytes: Uint8Array): IstioCertificateRequest | undefined {
  try {
    return fromBinary(IstioCertificateRequestSchema, bytes);
  } catch {
    return undefined;
  }
}

/** Istio's ztunnel asks in the name of others. */
function impersonated({ metadata }: IstioCertificateRequest): boolean {
  const { ImpersonatedIdentity: other = "" } = metadata ?? {};
  return other !== "";
}

function invalid(result: "invalid-csr" | "invalid-ttl", message: string): Refusal {
  return { result, status: GrpcStatus.INVALID_ARGUMENT, message };
}

function withLineEnd(pem: string): string {
  return pem.endsWith("\n") ? pem : `${pem}\n`;
}
