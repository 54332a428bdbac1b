import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { IstioCertificateRequestSchema, IstioCertificateResponseSchema } from "#gen/istio/v1/auth/ca_pb.js";
import { caLimits } from "../../ca/ca-limits.ts";
import type { SigningRequest } from "../../ca/signer.ts";
import { limitsOf } from "../../lib/bounded/limit.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { makeCsr } from "../../testing/ca/make-csr.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { readCsr } from "../../ca/csr.ts";
import { certificateMethods } from "./certificate-service.ts";
import { IssueRate } from "./issue-rate.ts";

const { csr } = await makeCsr();
const identityOf = (account: string) => `spiffe://cluster.local/ns/shop/sa/${account}`;

interface Answer {
  readonly status: GrpcStatus;
  readonly retryAfterMs?: number | undefined;
  readonly chain?: readonly string[];
}

function rig() {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const requests: SigningRequest[] = [];
  const results: string[] = [];
  const { serverStreaming } = certificateMethods({
    signer: {
      async sign(request) {
        requests.push(request);
        return { certificates: ["leaf\n"], notAfter: 0 };
      },
      trusted: ["root"],
      onChange: () => () => undefined,
    },
    readCsr,
    authenticate: async () => ({ type: "refused", reasons: [] }),
    ttlMs: 60_000,
    maxTtlMs: 120_000,
    now: () => clock.now(),
    logger,
    rate: new IssueRate(limitsOf(caLimits, { burst: 10, perSecond: 1 })),
    observer: { answered: (result) => results.push(result) },
  });
  const [serve] = serverStreaming?.values() ?? [];
  /** Calls the service as a client with this peer does. */
  const call = (peer: GrpcStream["peer"], wish: { readonly csr?: string; readonly seconds?: number } = {}) =>
    new Promise<Answer>((resolve) => {
      let chain: readonly string[] | undefined;
      const stream = {
        peer,
        attach: ({ onMessage }: { onMessage: (bytes: Uint8Array) => void }) => {
          const request = { csr: wish.csr ?? csr, validityDuration: BigInt(wish.seconds ?? 0) };
          const message = create(IstioCertificateRequestSchema, request);
          onMessage(toBinary(IstioCertificateRequestSchema, message));
        },
        send: (bytes: Uint8Array) => {
          chain = fromBinary(IstioCertificateResponseSchema, bytes).certChain;
        },
        end: (status: GrpcStatus, _message?: string, more: { readonly retryAfterMs?: number } = {}) =>
          resolve({ status, retryAfterMs: more.retryAfterMs, ...(chain && { chain }) }),
      };
      // The service uses nothing else of a stream.
      serve?.(stream as unknown as GrpcStream);
    });
  const as = (account: string, wish?: { readonly csr?: string; readonly seconds?: number }) =>
    call({ address: "10.0.0.1:1", identities: [identityOf(account)], encrypted: true }, wish);
  return { clock, logger, requests, results, call, as };
}

test("a flood of one identity is limited to its burst, and another identity gets its certificate", async () => {
  const { clock, requests, results, logger, as } = rig();
  const answers = await Promise.all(Array.from({ length: 50 }, () => as("flood")));
  expect(answers.filter(({ chain }) => chain !== undefined)).toHaveLength(10);
  expect(answers.slice(10)).toEqual(
    Array.from({ length: 40 }, () => ({ status: GrpcStatus.RESOURCE_EXHAUSTED, retryAfterMs: 1_000 })),
  );
  expect(requests).toHaveLength(10);
  expect(results.filter((result) => result === "limited")).toHaveLength(40);
  expect(await as("reviews")).toEqual({ status: GrpcStatus.OK, retryAfterMs: undefined, chain: ["leaf\n", "root\n"] });
  expect(logger.messages("warn")).toEqual(["certificate request refused"]);
  clock.advance(10_000);
  expect(await as("flood")).toMatchObject({ status: GrpcStatus.OK });
});

test("invalid requests count for the limit, too", async () => {
  const { requests, as } = rig();
  await Promise.all(Array.from({ length: 10 }, () => as("flood", { csr: "hello" })));
  expect(await as("flood")).toMatchObject({ status: GrpcStatus.RESOURCE_EXHAUSTED });
  expect(requests).toEqual([]);
});

test("no more than a thousand requests wait for their signature", async () => {
  const { requests, as } = rig();
  const most = caLimits.waitingRequests.most;
  const answers = await Promise.all(Array.from({ length: most + 5 }, (_, index) => as(`workload-${index}`)));
  expect(answers.filter(({ status }) => status === GrpcStatus.RESOURCE_EXHAUSTED)).toHaveLength(5);
  expect(requests).toHaveLength(most);
  expect(await as("later")).toMatchObject({ status: GrpcStatus.OK });
});

test.each([
  ["of a plaintext connection", { identities: [identityOf("reviews")] }],
  ["without an identity", { encrypted: true }],
  ["with two identities", { identities: [identityOf("reviews"), identityOf("ratings")], encrypted: true }],
  ["whose identity is no workload", { identities: ["spiffe://cluster.local/server"], encrypted: true }],
])("a caller %s gets no certificate", async (_caller, peer) => {
  const { requests, call } = rig();
  expect(await call({ address: "10.0.0.1:1", ...peer })).toMatchObject({ status: GrpcStatus.UNAUTHENTICATED });
  expect(requests).toEqual([]);
});

test("a caller gets the life that it asks for, up to the maximum, or the usual one", async () => {
  const { requests, as } = rig();
  await as("reviews", { seconds: 120 });
  await as("reviews");
  expect(await as("reviews", { seconds: 121 })).toMatchObject({ status: GrpcStatus.INVALID_ARGUMENT });
  expect(requests.map(({ ttlMs }) => ttlMs)).toEqual([120_000, 60_000]);
});
