import { mkdirSync, rmSync } from "node:fs";
import { onTestFinished } from "vitest";
import { WebhookRegistrar } from "../../../../src/app/kube/webhook/registrar.ts";
import type { Options } from "../../../../src/app/options/options.ts";
import type { SupervisedPart } from "../../../../src/app/parts/supervised-parts.ts";
import { SharedRefusals } from "../../../../src/app/quarantine/shared-refusals.ts";
import { SharedRollouts } from "../../../../src/app/rollout/shared-rollouts.ts";
import { configId } from "../../../../src/config/config.ts";
import { rolloutAnnotations } from "../../../../src/config/rollout/rollout-plan.ts";
import { makeCsr } from "../../../../src/testing/ca/make-csr.ts";
import { configIn } from "../../../../src/testing/config/configs-in.ts";
import { breakMetric } from "../../../../src/testing/recording/break-metric.ts";
import { TempTree } from "../../../../src/testing/temp-tree.ts";
import { listenerType } from "../../../../src/xds/type-urls.ts";
import { get, portOf } from "../http.ts";
import { goodGateway, reviewOf, WebhookClient } from "../kube/webhook-client.ts";
import { keptRoot, requestCertificate } from "../tls/certificate-client.ts";
import { TestAuthority } from "../tls/certificates.ts";
import { TokenIssuer } from "../tls/token-issuer.ts";
import { SotwClient } from "../xds/ads-client.ts";
import { StockSink } from "../xds/mcp-sink.ts";
import {
  anyPort,
  type Breakable,
  breakGetter,
  breakMethod,
  putServiceEntry,
  putYaml,
  startBreakable,
} from "./breakable-server.ts";
import { startCluster } from "./fake-cluster.ts";

/** A failure, ready to be planted into a server with these settings. */
interface Staged {
  readonly settings?: Partial<Options>;
  readonly plant: (running: Breakable) => void;
  /** Makes the part work, where a change of the mesh does not. */
  readonly meet?: (running: Breakable) => unknown;
  /** The failure itself, where the plant does not throw it. */
  readonly error?: string;
}

export interface PartFault {
  readonly part: SupervisedPart;
  /** Which place of the part, where it has several. */
  readonly place?: string;
  readonly stage: () => Staged | Promise<Staged>;
}

/** In each part of the server that no proxy waits for. */
export const faults: readonly PartFault[] = [
  { part: "analysis", stage: () => ({ plant: ({ source }) => breakGetter(source, "collections") }) },
  { part: "issue log", stage: () => ({ plant: ({ processor }) => breakGetter(processor, "issues") }) },
  { part: "clash log", stage: () => ({ plant: ({ processor }) => breakGetter(processor, "clashes") }) },
  { part: "problem log", stage: () => ({ plant: ({ galley }) => breakGetter(galley, "problems") }) },
  { part: "registry events", stage: () => ({ plant: ({ processor }) => breakGetter(processor, "outputs") }) },
  { part: "key sets", stage: () => ({ plant: ({ environment }) => breakGetter(environment, "policiesByKeySet") }) },
  { part: "conflicts", stage: () => ({ plant: breakConflicts }) },
  {
    part: "galley meter",
    stage: () => ({ plant: ({ metrics }) => breakMetric(metrics, "galley_runtime_processor_events_processed_total") }),
  },
  {
    part: "metric binnacle_config_issues",
    stage: () => ({ plant: ({ processor }) => breakGetter(processor, "issues") }),
  },
  { part: "process health", stage: () => ({ plant: ({ discovery }) => breakGetter(discovery, "queueMs") }) },
  { part: "log", stage: () => ({ plant: ({ logger }) => logger.failOn("proxy connected") }) },
  { part: "xds log", stage: () => ({ plant: ({ metrics }) => breakMetric(metrics, "pilot_xds_pushes") }) },
  { part: "readiness-file", stage: () => ({ plant: ({ processor }) => breakGetter(processor, "health") }) },
  { part: "liveness-file", stage: () => ({ plant: occupyLivenessFile, error: "EISDIR" }) },
  {
    part: "pages",
    stage: () => ({
      plant: ({ processor }) => breakGetter(processor, "issues"),
      meet: ({ listeners }) => get(portOf(listeners.addresses.http), "/debug/issues"),
    }),
  },
  { part: "pages", place: "over xDS", stage: () => pagesOverXds },
  { part: "desk", stage: () => ({ plant: ({ desk }) => desk && breakMethod(desk.journal, "pushStarted") }) },
  { part: "telemetry", stage: () => telemetry },
  {
    part: "ctrlz",
    stage: () => ({
      plant: ({ galley }) => breakGetter(galley, "describe"),
      meet: ({ listeners }) => get(portOf(listeners.addresses.ctrlz), "/collectionz/"),
    }),
  },
  { part: "registrations", stage: () => registrations },
  { part: "mcp log", place: "of a source", stage: () => mcpSource },
  { part: "mcp log", place: "of a source over xDS", stage: () => mcpSourceOverXds },
  { part: "mcp log", place: "of a sink", stage: mcpSink },
  { part: "certificate authority", stage: certificateAuthority },
  { part: "webhook", stage: webhook },
  { part: "webhook registration", stage: webhookRegistration },
  { part: "leader election", stage: leaderElection },
  { part: "status", stage: status },
  { part: "quarantine store", stage: quarantineStore },
  { part: "history", stage: history },
  { part: "rollout store", stage: rolloutStore },
];

/** Nobody listens at the address of the collector. */
const telemetry: Staged = {
  settings: { otlpEndpoint: "http://127.0.0.1:1" },
  plant: ({ telemetry: part }) => part?.tracer && breakMethod(part.tracer, "pushStarted"),
};

function breakConflicts({ discovery }: Breakable): void {
  for (const { families } of discovery.catalogue.types) {
    for (const family of families) if (family.conflicts !== undefined) breakMethod(family, "conflicts");
  }
}

function occupyLivenessFile({ tree }: Breakable): void {
  rmSync(tree.path("alive"));
  mkdirSync(tree.path("alive"));
}

/** Asks for a type until the test has finished. */
function askXds(
  { listeners }: Breakable,
  metadata: Record<string, string>,
  [typeUrl, ...names]: [string, ...string[]],
): void {
  const id = "sidecar~10.0.0.9~vm-0.shop~shop.svc.cluster.local";
  const client = new SotwClient(portOf(listeners.addresses.xds), { id, metadata: { NAMESPACE: "shop", ...metadata } });
  onTestFinished(() => client[Symbol.dispose]());
  client.subscribe(typeUrl, names);
}

const pagesOverXds: Staged = {
  plant: ({ processor }) => breakGetter(processor, "issues"),
  meet: (running) => askXds(running, {}, ["istio.io/debug", "issues"]),
};

const registrations: Staged = {
  settings: { xdsIdentityCheck: false },
  plant({ metrics, source }) {
    breakMetric(metrics, "auto_registration_success_total");
    putYaml(
      source,
      `
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: { name: billing, namespace: shop }
spec: { template: {} }
`,
    );
  },
  meet(running) {
    const metadata = { INSTANCE_IPS: "10.0.0.9", AUTO_REGISTER_GROUP: "billing" };
    askXds(running, metadata, [listenerType]);
  },
};

const mcpSource: Staged = {
  settings: { mcp: anyPort },
  plant: ({ metrics }) => breakMetric(metrics, "istio_mcp_message_sizes_bytes"),
  meet({ listeners }) {
    const sink = new StockSink(portOf(listeners.addresses.mcp)).subscribe();
    onTestFinished(() => sink[Symbol.dispose]());
  },
};

const mcpSourceOverXds: Staged = {
  plant: ({ metrics }) => breakMetric(metrics, "binnacle_mcp_push_size_bytes"),
  meet: (running) => askXds(running, { GENERATOR: "api" }, ["networking.istio.io/v1/ServiceEntry"]),
};

async function mcpSink(): Promise<Staged> {
  const galley = await startBreakable({ mcp: anyPort });
  return {
    settings: { sources: [`mcp://${galley.listeners.addresses.mcp}`] },
    plant: ({ metrics }) => breakMetric(metrics, "istio_mcp_request_acks_total"),
    meet: () => putServiceEntry(galley.source, "elsewhere"),
  };
}

async function certificateAuthority(): Promise<Staged> {
  const issuer = await TokenIssuer.create();
  const state = await TempTree.create();
  onTestFinished(() => issuer[Symbol.dispose]());
  onTestFinished(() => state.close());
  const caState = state.path("state");
  const token = await issuer.token({ namespace: "shop", account: "reviews" });
  return {
    settings: { xdsTls: anyPort, ca: "self-signed", caState, jwtIssuer: issuer.url, jwtJwks: issuer.keyFile },
    plant: ({ metrics }) => breakMetric(metrics, "citadel_server_csr_count"),
    async meet({ listeners }) {
      const caller = { port: portOf(listeners.addresses["xds-tls"]), roots: keptRoot(caState), token };
      await requestCertificate(caller, await makeCsr());
    },
  };
}

async function webhookFiles() {
  const authority = await TestAuthority.create();
  onTestFinished(() => authority[Symbol.dispose]());
  const pair = await authority.issueServer("webhook");
  const settings = { webhook: anyPort, webhookCert: pair.certificateChain, webhookKey: pair.privateKey };
  return { pair, settings };
}

async function webhook(): Promise<Staged> {
  const { pair, settings } = await webhookFiles();
  return {
    settings,
    plant: ({ metrics }) => breakMetric(metrics, "galley_validation_passed"),
    async meet({ listeners }) {
      using client = new WebhookClient(listeners.addresses.webhook, pair);
      await client.post(reviewOf(goodGateway()));
    },
  };
}

/** The configuration of the webhook is missing, which is counted. */
async function webhookRegistration(): Promise<Staged> {
  const { kubeconfig, allowLeases } = await startCluster();
  const { settings } = await webhookFiles();
  return {
    settings: { ...settings, kubeconfig, webhookConfig: "binnacle" },
    plant({ metrics }) {
      breakMetric(metrics, "galley_validation_config_update_error");
      allowLeases();
    },
  };
}

async function leaderElection(): Promise<Staged> {
  const { kubeconfig, allowLeases } = await startCluster();
  const { settings } = await webhookFiles();
  return {
    settings: { ...settings, kubeconfig, webhookConfig: "binnacle" },
    plant() {
      breakMethod(WebhookRegistrar.prototype, "start");
      allowLeases();
    },
  };
}

/** A refusal of another replica arrives, and is to be written. */
async function quarantineStore(): Promise<Staged> {
  const state = await TempTree.create();
  onTestFinished(() => state.close());
  const id = configId("ServiceEntry", "shop", "before");
  const scope = { id: "sidecars", name: "sidecars", classId: "sidecars", node: undefined };
  const facts = { version: undefined, reason: "", node: "", confirmedBy: undefined, rejected: [], probes: 1, since: 0 };
  return {
    settings: { quarantineStore: state.path("quarantine.json") },
    plant: () => breakMethod(SharedRefusals.prototype, "draft"),
    meet: ({ discovery }) => discovery.quarantine?.adopt([{ scope, id, accepted: undefined, ...facts }]),
  };
}

async function history(): Promise<Staged> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  return {
    settings: { history: tree.path("history") },
    plant: ({ history: part }) => part && breakMethod(part.recorder, "committed"),
  };
}

async function rolloutStore(): Promise<Staged> {
  const state = await TempTree.create();
  onTestFinished(() => state.close());
  const http = [{ route: [{ destination: { host: "a.example.com" } }] }];
  const metadata = { name: "staged", namespace: "shop", annotations: { [rolloutAnnotations.name]: "change" } };
  const staged = {
    apiVersion: "networking.istio.io/v1",
    kind: "VirtualService",
    metadata,
    spec: { hosts: ["a"], http },
  };
  return {
    settings: { rolloutStore: state.path("rollouts.json") },
    plant: () => breakMethod(SharedRollouts.prototype, "draft"),
    meet: ({ staging }) => staging.admit([{ before: undefined, after: configIn(JSON.stringify(staged)) }]),
  };
}

async function status(): Promise<Staged> {
  const { kubeconfig } = await startCluster();
  return {
    settings: { kubeconfig, sources: ["kube:"], analysisStatus: true },
    plant: ({ processor }) => breakGetter(processor, "issues"),
  };
}
