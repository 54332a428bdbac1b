import { CaMetrics, type IssueResult } from "../../admin/metrics/ca-metrics.ts";
import { caPage } from "../../admin/pilot/ca.ts";
import type { Route } from "../../admin/route.ts";
import type { RootStore } from "../../ca/root-store.ts";
import type { Authority } from "../../ca/roots.ts";
import { rotationTimes } from "../../ca/rotation.ts";
import { FileWatch } from "../../galley/source/file/file-watch.ts";
import type { MethodTables } from "../../transport/server/method.ts";
import type { TlsIssuer } from "../../transport/tls/secure-server.ts";
import type { Access } from "../access.ts";
import type { PilotGraph } from "../build-pilot.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { type Component, component, withFlagNamed } from "../process/lifecycle.ts";
import { watchedFiles } from "../process/watched-files.ts";
import { type CaKind, caKindOf, createsRoots } from "./ca-kind.ts";
import { CertificateAuthority } from "./certificate-authority.ts";
import { certificateMethods } from "./certificate-service.ts";
import { fileRootStore } from "./file-root-store.ts";
import { heldCertificates } from "./held-certificates.ts";
import { pluggedRootStore } from "./plugged-root-store.ts";
import { renewalAuthenticator } from "./renewal-authenticator.ts";
import { type RootDistribution, rootDistribution } from "./root-distribution.ts";
import type { RotationCause } from "./root-keeper.ts";
import { ServerCertificate } from "./server-certificate.ts";
import { sharedRootStore } from "./shared-root-store.ts";
import { trustDomainCheck } from "./trust-domain-check.ts";

/** The certificate authority as the TLS port sees it. */
export interface CaPart {
  readonly authority: CertificateAuthority;
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

/** Undefined if it is off. Throws `bad-option`. */
export function caPart(context: ProcessContext, access: Access, mesh: PilotGraph): CaPart | undefined {
  const { options, supervisor, logs } = context;
  const kind = caKindOf(options);
  if (kind.type === "off") return undefined;
  const clock = supervisor.clockFor("certificate authority");
  const logger = logs.logger("ca");
  const timeOfDay = Date.now;
  const { caTtlMs, caMaxTtlMs: maxTtlMs } = options;
  const ttlMs = Math.min(caTtlMs, maxTtlMs);
  const trustDomain = () => options.caTrustDomain ?? access.members().trustDomains[0] ?? "";
  const trustDomains = () => [trustDomain(), ...access.members().trustDomains];
  const authority: CertificateAuthority = new CertificateAuthority({
    store: storeOf(context, kind, (each) => authority.code.openAuthority(each)),
    createsRoots: createsRoots(kind),
    organization: trustDomain,
    times: rotationTimes(maxTtlMs, caTtlMs),
    rootTtlMs: options.caRootTtlMs,
    onRotation: supervisor.guard("certificate authority", (cause: RotationCause) => metrics.rotated(cause)),
    clock,
    timeOfDay,
    logger,
  });
  const start = async () => {
    await authority.start();
    if (options.caTrustDomain !== undefined) watchTrustDomain(context, options.caTrustDomain, { access, mesh });
  };
  const own = renewalAuthenticator({
    roots: () => authority.trusted,
    chain: () => authority.active?.opened.chain ?? [],
    trustDomains,
    timeOfDay,
  });
  const names = () => serverNames(context, access);
  const issued = { signer: authority, ttlMs, clock, timeOfDay, random: Math.random, logger };
  const server = new ServerCertificate({ ...issued, names: () => (options.tlsCert === undefined ? names() : []) });
  const webhook = new ServerCertificate({ ...issued, names });
  const certificates = () => heldCertificates(authority.active?.roots, [server.shown, webhook.shown]);
  const metrics = new CaMetrics(context.metrics, certificates);
  const counting = { answered: (result: IssueResult) => metrics.answered(result) };
  return {
    authority,
    page: caPage(() => ({
      kind: kind.type,
      phase: authority.active?.roots.phase,
      phaseSince: authority.active?.roots.phaseSince,
      trustDomain: trustDomain(),
      certificates: certificates(),
    })),
    component: withFlagNamed(component("ca", { start, stop: () => authority.stop() })),
    methods: certificateMethods({
      signer: authority,
      readCsr: (text) => authority.code.readCsr(text),
      authenticate: access.authenticateCallers(own, trustDomains),
      ttlMs,
      maxTtlMs,
      now: () => clock.now(),
      logger,
      observer: supervisor.guardAll("certificate authority", counting),
    }),
    issuer: server,
    webhookIssuer: webhook,
    distribution: rootDistribution(context, mesh, authority),
  };
}

function storeOf(
  context: ProcessContext,
  kind: Exclude<CaKind, { type: "off" }>,
  check: (authority: Authority) => unknown,
): RootStore {
  const clock = context.supervisor.clockFor("certificate authority");
  if (kind.type === "etcd" || kind.type === "secret") return sharedRootStore(context, kind, clock);
  if (kind.type === "self-signed") {
    const { directory } = kind;
    return fileRootStore({
      directory,
      openWatch: (onChange) => new FileWatch({ clock, onChange }),
      timeOfDay: Date.now,
    });
  }
  const logger = context.logs.logger("ca");
  const onRefused = (error: unknown) => logger.error({ err: error }, "certificate authority not replaced");
  return pluggedRootStore({ directory: kind.directory, ...watchedFiles(clock), check, onRefused });
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
