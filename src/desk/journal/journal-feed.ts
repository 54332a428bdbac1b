import type { Commit } from "../../collection/collection.ts";
import { changedConfigs } from "../../pilot/registry/changed-configs.ts";
import type { Environment } from "../../pilot/registry/environment.ts";
import type { XdsObserver } from "../../pilot/xds/observer.ts";
import { rejectedIn } from "../../pilot/xds/status/rejections.ts";
import type { Journal } from "./journal.ts";
import type { JournalObject } from "./recorded-change.ts";

/** The users' objects that a commit of Pilot's graph changed. An object that only moved within its file is left out. */
export function* objectsIn(commit: Commit, environment: Environment): Iterable<JournalObject> {
  for (const { before, after } of changedConfigs(commit, environment)) {
    const config = after ?? before;
    if (config === undefined || before?.version === after?.version) continue;
    const { kind, namespace, name, origin } = config;
    const operation = before === undefined ? "added" : after === undefined ? "removed" : "updated";
    yield { kind, namespace, name, operation, source: origin.source, reference: origin.reference };
  }
}

type JournalObserver = Pick<XdsObserver, "pushStarted" | "pushFailed" | "responseSent" | "rejected"> &
  Required<Pick<XdsObserver, "pushesOwed" | "pushesEnded">>;

/** Feeds the journal from the events of the discovery server. */
export function journalObserver(journal: Journal): JournalObserver {
  return {
    pushStarted: (push) => journal.pushStarted(push),
    pushFailed: (cause) => journal.pushFailed(cause),
    responseSent: (response) => journal.responseSent(response),
    pushesOwed: (_node, pushes) => journal.pushesOwed(pushes),
    pushesEnded: (_node, pushes, how) => journal.pushesEnded(pushes, how),
    rejected(type, node, reason, subscription, pushes) {
      if (pushes === undefined || pushes.length === 0) return;
      const found = subscription === undefined ? [] : rejectedIn(subscription);
      const unknown = { type, message: reason, resources: [], objects: [] };
      journal.rejected(node, pushes, found.length === 0 ? [unknown] : found);
    },
  };
}

/** Calls both observers, the journal second. */
export function withJournal(observer: XdsObserver, second: JournalObserver): XdsObserver {
  return {
    ...observer,
    pushStarted(push) {
      observer.pushStarted(push);
      second.pushStarted(push);
    },
    pushFailed(cause) {
      observer.pushFailed(cause);
      second.pushFailed(cause);
    },
    responseSent(response) {
      observer.responseSent(response);
      second.responseSent(response);
    },
    rejected(type, node, reason, subscription, pushes) {
      observer.rejected(type, node, reason, subscription, pushes);
      second.rejected(type, node, reason, subscription, pushes);
    },
    pushesOwed: (node, pushes) => second.pushesOwed(node, pushes),
    pushesEnded: (node, pushes, how) => second.pushesEnded(node, pushes, how),
  };
}
