import type { SourceReport } from "../../../admin/galley/sources.ts";
import type { Viewer } from "../../../admin/viewer.ts";
import type { ConfigId } from "../../../config/config.ts";
import { kindNameOf, nameOf, namespaceOf } from "../../../pilot/model/config-id.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee } from "../endpoint.ts";
import { issueCounts } from "../findings.ts";
import type { Advice, Overview, ProxyCounts, SourceState } from "../model/overview.ts";
import { proxyStateOf, visibleProxies } from "../proxy-facts.ts";
import { quarantinedIds } from "../quarantined-ids.ts";
import { isVisible, summaryOf } from "./changes.ts";

const shownChanges = 10;
const shownQuarantined = 3;

export function showOverview(state: DeskState, { viewer }: ApiRequest): ApiAnswer {
  const changes = state.journal.changes.filter((change) => isVisible(change, viewer)).slice(0, shownChanges);
  const body: Overview = {
    ...overviewOf(state, viewer),
    changes: changes.map((change) => summaryOf(change, viewer, state)),
  };
  return found(body);
}

export function overviewOf(state: DeskState, viewer: Viewer): Omit<Overview, "changes"> {
  const proxies = proxyCounts(state, viewer);
  const sources = state.sources().map(sourceState);
  const issues = issueCounts(state, viewer);
  const perMinute = state.journal.perMinute();
  const quarantined = [...quarantinedIds(state)].filter((id) => maySee(viewer, namespaceOf(id)));
  const advice = adviceFor({ proxies, issues, sources: viewer.type === "system" ? sources : [], quarantined });
  const failing = advice.some(({ severity }) => severity === "error");
  return {
    at: state.now().toISOString(),
    health: failing ? "failing" : advice.length > 0 ? "degraded" : "well",
    advice,
    proxies,
    ...(viewer.type === "system" && { sources }),
    issues,
    pushes: { lastMinute: perMinute.at(-1) ?? 0, perMinute },
  };
}

function proxyCounts(state: DeskState, viewer: Viewer): ProxyCounts {
  const counts = { total: 0, synced: 0, behind: 0, rejecting: 0 };
  for (const connection of visibleProxies(state, viewer)) {
    counts.total++;
    counts[proxyStateOf(connection)]++;
  }
  return counts;
}

function sourceState({ name, state, reason, staleSince, lastHeard, ...report }: SourceReport): SourceState {
  return {
    name,
    state,
    ...(reason !== undefined && { reason }),
    ...(staleSince !== undefined && { staleSince: staleSince.toISOString() }),
    ...(lastHeard !== undefined && { lastHeard: lastHeard.toISOString() }),
    objects: report.collections.reduce((sum, { objects }) => sum + objects, 0),
    issues: report.issues.length,
    lost: report.loses.length,
  };
}

interface Judged extends Pick<Overview, "proxies" | "issues"> {
  readonly sources: readonly SourceState[];
  readonly quarantined: readonly ConfigId[];
}

/** Errors first: a rejection keeps a proxy on old configuration, and a broken object is not served at all. */
function adviceFor({ proxies, issues, sources, quarantined }: Judged): readonly Advice[] {
  const stale = sources.filter(({ state }) => state === "stale");
  return [
    ...adviceIf(proxies.rejecting > 0, {
      severity: "error",
      text: `${proxies.rejecting} of ${proxies.total} proxies reject their configuration.`,
      action: "Open one of them, and correct the object that it names.",
      link: "/proxies?state=rejecting",
    }),
    ...quarantined.slice(0, shownQuarantined).map(quarantineAdvice),
    ...adviceIf(quarantined.length > shownQuarantined, {
      severity: "error",
      text: `${quarantined.length - shownQuarantined} more objects are in quarantine.`,
      action: "Correct them one by one.",
      link: "/configuration",
    }),
    ...stale.map(
      ({ name, reason = "unknown" }): Advice => ({
        severity: "error",
        text: `The source ${name} is stale: ${reason}.`,
        action: "Proxies keep its last objects. Make the source reachable again.",
        link: "/control-plane",
      }),
    ),
    ...adviceIf(issues.errors > 0, {
      severity: "error",
      text: `The configuration has ${issues.errors} ${issues.errors === 1 ? "error" : "errors"}.`,
      action: "An invalid object keeps its last good version. Correct the named lines.",
      link: "/configuration?severity=error",
    }),
    ...adviceIf(proxies.behind > 0, {
      severity: "warning",
      text: `${proxies.behind} of ${proxies.total} proxies have not acknowledged the newest configuration.`,
      action: "Wait some seconds. If they stay behind, look at their logs and their network.",
      link: "/proxies?state=behind",
    }),
  ];
}

function quarantineAdvice(id: ConfigId): Advice {
  const [kind, namespace, name] = [kindNameOf(id), namespaceOf(id), nameOf(id)];
  return {
    severity: "error",
    text: `${kind} ${namespace === "" ? name : `${namespace}/${name}`} is in quarantine: proxies refused it.`,
    action: "Proxies like these keep the last version that they accepted. Correct the object.",
    link: `/configuration/${[kind, namespace || "-", name].map(encodeURIComponent).join("/")}`,
  };
}

function adviceIf(applies: boolean, advice: Advice): readonly Advice[] {
  return applies ? [advice] : [];
}
