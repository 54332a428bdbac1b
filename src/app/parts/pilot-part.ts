import { workloadGroupPage } from "../../admin/galley/workload-group.ts";
import { forceDisconnectPage } from "../../admin/pilot/force-disconnect.ts";
import { jwksPage } from "../../admin/pilot/jwks.ts";
import { objectProgressPage } from "../../admin/pilot/object-progress.ts";
import { quarantinePage } from "../../admin/pilot/quarantine-page.ts";
import { rolloutsPage } from "../../admin/pilot/rollouts-page.ts";
import { pilotPages } from "../../admin/routes.ts";
import type { Processor } from "../../galley/processor/processor.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import { HealthService } from "../../transport/services/health.ts";
import { discoveryServices } from "../../xds/services/discovery-methods.ts";
import type { Access } from "../access.ts";
import { conflictReport } from "../analysis/conflict-report.ts";
import { patchReport } from "../analysis/patch-report.ts";
import type { Pilot } from "../build-pilot.ts";
import type { CaPart } from "../ca/ca-part.ts";
import { installPilotGauges } from "../gauges/pilot-gauges.ts";
import { installProxyGauges } from "../gauges/proxy-gauges.ts";
import type { KeySets } from "../jwks/key-sets.ts";
import { refusalKeeper } from "../quarantine/quarantine-store.ts";
import type { DocumentKeeper } from "../shared-document/document-keeper.ts";
import { rolloutKeeper } from "../rollout/rollout-store.ts";
import { logProblems } from "../log/problem-log.ts";
import { component } from "../process/lifecycle.ts";
import { xdsListeners } from "../xds/xds-listeners.ts";
import { xdsMethods } from "../xds/xds-methods.ts";
import { pilotStateOf } from "./pilot-state.ts";
import type { ProcessContext, ProcessPart } from "./process-part.ts";

export interface PilotPartOptions extends Pilot {
  /** The users' objects. */
  readonly processor: Pick<Processor, "outputs">;
  /** Authenticates proxies. */
  readonly access: Access;
  /** Called when a proxy fails to authenticate. */
  readonly onRefused: () => void;
  /** Resolves when Pilot has the whole mesh. */
  readonly complete: Promise<void>;
  /** Fetches the key sets of issuers. The first push waits for its first attempts. */
  readonly keySets: KeySets;
  /** Signs certificates for proxies; undefined if it is off. */
  readonly ca: CaPart | undefined;
}

/** Serves the mesh over xDS. Proxies connect last, when the whole mesh was pushed once. */
export function pilotPart(context: ProcessContext, given: PilotPartOptions): ProcessPart {
  const { options, clock, logs, metrics, listeners, certificates } = context;
  const { pilot, environment, discovery, keySets, access, onRefused, ca } = given;
  logProblems(pilot, logs.logger("processing"), context.supervisor);
  const state = pilotStateOf({ discovery, environment, clock });
  installPilotGauges(metrics, { ...given, state, version: context.version });
  installProxyGauges(metrics, state, clock);
  const conflicts = conflictReport(context, given);
  const patches = patchReport(context, given);
  const keeper = refusalKeeper(context, discovery.quarantine);
  const staged = rolloutKeeper(context, discovery.rollouts);
  const health = new HealthService(discoveryServices.map(({ name }) => name));
  const { authenticate, isOperator } = access;
  const methods = xdsMethods({ discovery, health, isOperator });
  const onCertificate = context.supervisor.guard("desk", certificates.reporterFor("xds-tls"));
  const logger = logs.logger("xds");
  const servers = xdsListeners({ options, clock, logger, methods, authenticate, onRefused, onCertificate, ca });
  return {
    components: [
      keySets.component,
      component("discovery", { start: () => {}, stop: () => stopServing(discovery, health) }),
      component("first push", {
        start: () => untilServing({ ...given, keeper, staged }, health),
        async stop() {
          await staged?.stop();
          await keeper?.stop();
        },
      }),
      conflicts.component,
      patches.component,
      // The mesh configuration is known now, which names the trust domain.
      ...(ca === undefined ? [] : [ca.component, ...ca.distribution.components]),
      ...servers.map(([name, server]) =>
        listeners.component(name, {
          start: () => server.start(),
          stop: () => server.stop({ graceMs: options.drainMs }),
        }),
      ),
    ],
    emitter: {
      name: "xds",
      awaited() {
        if (!discovery.ready) return ["first push"];
        return servers.flatMap(([name]) => (listeners.addresses[name] === "" ? [`listener ${name}`] : []));
      },
    },
    pages: [
      ...pilotPages(state),
      objectProgressPage(given.waits, state),
      jwksPage(() => keySets.reports(), state),
      workloadGroupPage({ configs: given.processor.outputs, roots: () => ca?.signer.trusted ?? [] }),
      ...(ca === undefined ? [] : [ca.page, ...ca.distribution.pages]),
      ...(options.allowDisconnect ? [forceDisconnectPage(state)] : []),
      quarantinePage(state, discovery.quarantine),
      rolloutsPage(state, discovery.rollouts),
      conflicts.page,
      patches.page,
    ],
    graphs: new Map([["pilot", pilot]]),
    holdsSecrets: () => ca !== undefined,
  };
}

interface Stores {
  readonly keeper: DocumentKeeper | undefined;
  readonly staged: DocumentKeeper | undefined;
}

/**
 * Without the wait for key sets, a restarted server would take working keys from proxies. Without stored refusals, it
 * would send objects to them that they refuse, and without stored rollouts, staged changes to all of them.
 */
async function untilServing(
  {
    discovery,
    complete,
    keySets,
    keeper,
    staged,
  }: Pick<PilotPartOptions, "discovery" | "complete" | "keySets"> & Stores,
  health: HealthService,
): Promise<void> {
  await complete;
  await keySets.attempted();
  await staged?.start();
  await discovery.caughtUp();
  await keeper?.start();
  discovery.markReady();
  health.setServing(true);
}

function stopServing(discovery: DiscoveryServer, health: HealthService): void {
  health.setServing(false);
  discovery.stop();
}
