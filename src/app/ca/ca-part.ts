import { CaMetrics, type HeldCertificate, type IssueResult } from "../../admin/metrics/ca-metrics.ts";
import { caPage } from "../../admin/pilot/ca.ts";
import type { Route } from "../../admin/route.ts";
import type { Signer } from "../../ca/signer.ts";
import type { MethodTables } from "../../transport/server/method.ts";
import type { TlsIssuer } from "../../transport/tls/secure-server.ts";
import type { Access } from "../access.ts";
import type { PilotGraph } from "../build-pilot.ts";
import { clusterOf } from "../kube/elected.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { type Component, component, withFlagNamed } from "../process/lifecycle.ts";
import { watchedFiles } from "../process/watched-files.ts";
import { type CaKind, caKindOf } from "./ca-kind.ts";
import { CertificateAuthority } from "./certificate-authority.ts";
import { certificateMethods } from "./certificate-service.ts";
import { heldCertificates } from "./held-certificates.ts";
import { KubeSigner } from "./kube-signer.ts";
import { ownAuthority } from "./own-authority.ts";
import { renewalAuthenticator } from "./renewal-authenticator.ts";
import { type RootDistribution, rootDistribution } from "./root-distribution.ts";
import type { RotationCause } from "./root-keeper.ts";
import { ServerCertificate } from "./server-certificate.ts";
import { trustDomainCheck } from "./trust-domain-check.ts";

/** The certificate authority as the TLS port sees it. */
export interface CaPart {
  readonly signer: Signer;
  /** The certificates of the authority. */
  readonly certificates: () => readonly HeldCertificate[];
  /** For `/debug/ca`. */
  readonly page: Route;
  readonly component: Component;
  /** Tells workloads which roots to trust. */
  readonly distribution: RootDistribution;
  readonly methods: MethodTables;
  readonly issuer: TlsIssuer;
  /** Issues the certificate of the webhooks. */
  readonly webhookIssuer: TlsIssuer;
}

const part = "certificate authority";

/** Undefined if it is off. Throws `bad-option`. */
export function caPart(context: ProcessContext, access: Access, mesh: PilotGraph): CaPart | undefined {
  const { options, supervisor, logs } = context;
  const kind = caKindOf(options);
  if (kind.type === "off") return undefined;
  const clock = supervisor.clockFor(part);
  const logger = logs.logger("ca");
  const timeOfDay = Date.now;
  const { caTtlMs, caMaxTtlMs: maxTtlMs } = options;
  const ttlMs = Math.min(caTtlMs, maxTtlMs);
  const trustDomain = () => options.caTrustDomain ?? access.members().trustDomains[0] ?? "";
  const trustDomains = () => [trustDomain(), ...access.members().trustDomains];
  const onRotation = supervisor.guard(part, (cause: RotationCause) => metrics.rotated(cause));
  const signer =
    kind.type === "signer"
      ? kubeSigner(context, kind)
      : ownAuthority(context, kind, { organization: trustDomain, onRotation });
  const authority = signer instanceof CertificateAuthority ? signer : undefined;
  const start = async () => {
    await signer.start();
    if (options.caTrustDomain !== undefined) watchTrustDomain(context, options.caTrustDomain, { access, mesh });
  };
  const own = renewalAuthenticator({
    roots: () => signer.trusted,
    chain: () => signer.chain,
    trustDomains,
    timeOfDay,
  });
  const names = () => serverNames(context, access);
  const makeCsr: typeof signer.code.makeCsr = (...given) => signer.code.makeCsr(...given);
  const issued = { signer, makeCsr, ttlMs, clock, timeOfDay, random: Math.random, logger };
  const server = new ServerCertificate({ ...issued, names: () => (options.tlsCert === undefined ? names() : []) });
  const webhook = new ServerCertificate({ ...issued, names });
  const certificates = () => heldCertificates(authority?.active?.roots ?? signer, [server.shown, webhook.shown]);
  const metrics = new CaMetrics(context.metrics, certificates);
  const counting = { answered: (result: IssueResult) => metrics.answered(result) };
  return {
    signer,
    certificates,
    page: caPage(() => ({
      kind: kind.type,
      phase: authority?.active?.roots.phase,
      phaseSince: authority?.active?.roots.phaseSince,
      trustDomain: trustDomain(),
      certificates: certificates(),
    })),
    component: withFlagNamed(component("ca", { start, stop: () => signer.stop() })),
    methods: certificateMethods({
      signer,
      readCsr: (text) => signer.code.readCsr(text),
      authenticate: access.authenticateCallers(own, trustDomains),
      ttlMs,
      maxTtlMs,
      now: () => clock.now(),
      logger,
      observer: supervisor.guardAll(part, counting),
    }),
    issuer: server,
    webhookIssuer: webhook,
    distribution: rootDistribution(context, mesh, signer, authority),
  };
}

/** Throws `source-unavailable`. */
function kubeSigner(context: ProcessContext, { name, roots }: Extract<CaKind, { type: "signer" }>): KubeSigner {
  return new KubeSigner({
    calls: clusterOf(context, { flag: "ca" }).client,
    signerName: name,
    rootsFile: roots,
    ...watchedFiles(context.supervisor.clockFor(part)),
    timeOfDay: Date.now,
    logger: context.logs.logger("ca"),
  });
}

/** The mesh configuration is known now, and may change. */
function watchTrustDomain(
  { supervisor, logs }: ProcessContext,
  trustDomain: string,
  { access, mesh }: { readonly access: Access; readonly mesh: PilotGraph },
): void {
  const meshTrustDomains = () => access.members().trustDomains;
  const check = trustDomainCheck({ trustDomain, meshTrustDomains, logger: logs.logger("ca") });
  check();
  mesh.pilot.onCommit(supervisor.guard("certificate authority", check, { again: check }));
}

/** The names by which agents and people find this server. Istio's agents ask for istiod. */
function serverNames({ options }: ProcessContext, access: Access): readonly string[] {
  const namespace = options.leaseNamespace ?? access.members().rootNamespace;
  const services = ["istiod", "istiod-remote", "istio-pilot", "binnacle"].map((name) => `${name}.${namespace}.svc`);
  return [...new Set([...services, "localhost", "127.0.0.1", "::1", ...options.caServerNames])];
}
