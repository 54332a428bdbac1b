import { historyStore } from "../../app/history/history-store.ts";
import { openHistory } from "../../app/history/segment-store.ts";
import { optionTable } from "../../app/options/options.ts";
import type { Position } from "../../history/history.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Command, DocumentedFlag, ExitCode, Terminal } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { readOptionFlags } from "../flags/mesh-flags.ts";
import { workloadFlags } from "../flags/node-flags.ts";
import { outputFlag, tableForms } from "../flags/notation.ts";
import { optionFlag } from "../flags/option-flag.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { blameLinesOf, diffObjects, listChanges, showObjects } from "../history/ask-objects.ts";
import { askProxy, showProxies } from "../history/ask-proxy.ts";
import { type Asked, expected, misused } from "../history/asked.ts";
import { placeNamed } from "../history/logged-place.ts";
import { readPosition } from "../history/read-position.ts";
import { restore } from "../history/restore-command.ts";
import { storeFlags } from "../objects/store-flags.ts";

const historyFlag: DocumentedFlag = {
  ...optionFlag(optionTable.history),
  doc: "Directory or etcd of the history that a server keeps.",
  default: "",
};

const flags: readonly DocumentedFlag[] = [
  historyFlag,
  valueFlag("since", "TIME", "list: shows only moments after this time.", ""),
  valueFlag("limit", "N", "list: shows at most so many moments, the newest ones.", "20"),
  valueFlag("to", "TIME", "diff: the moment to compare with.", "now"),
  ...workloadFlags.map((flag) => ({
    ...flag,
    doc: `at TIME show|diff|blame PROXY, for a proxy that is not in the history: ${flag.doc}`,
  })),
  ...storeFlags.map((flag) =>
    flag.name === "store" ? { ...flag, doc: "restore: the store to write to. Without it, prints the objects." } : flag,
  ),
  switchFlag("write", "restore: writes to the store. Without it, only shows what would be written."),
  switchFlag("prune", "restore: also deletes objects of the store that did not exist then."),
  outputFlag(tableForms),
];

export const command: Command = {
  usage: "list|at TIME show|diff|blame OBJECT|restore TIME [flags]",
  flags,
  words: ["list", "at", "restore"],
  examples: [
    "history list --history ./history",
    "history list VirtualService/shop/reviews --since 24h --history ./history",
    "history at 14:03 show --history ./history",
    "history at 2026-11-18T14:03:00Z show VirtualService/shop/reviews --history ./history",
    "history at 10m diff --history ./history",
    "history at 1 diff VirtualService/shop/reviews --to 2 --history ./history",
    "history at now blame vs/shop/reviews --history ./history -o wide",
    "history at 14:03 show proxies --history ./history",
    "history at 14:03 show sidecar~web-0.shop --history ./history -o json",
    "history at 10m diff router~gw-0.istio-system --label app=gw --history ./history",
    "history restore 14:03 --history ./history > mesh.yaml",
    "history list --history etcd://127.0.0.1:2379/mesh-history",
  ],
  problem: "the object was not in force, diff finds a difference, or the history cannot be read",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: Infinity });
    const form = given.choice("output", tableForms);
    const store = historyStore(placeOf(given, terminal));
    try {
      return await answer({ given, form, history: await openHistory(store), terminal, now: new Date() });
    } finally {
      await store.close();
    }
  },
};

async function answer(asked: Asked): Promise<ExitCode> {
  const [word, ...rest] = asked.given.positionals;
  if (word === "list") return await listChanges(asked, rest);
  if (word === "restore") return await restore(asked, rest);
  const [time, question, object, ...others] = rest;
  if (word !== "at" || time === undefined || question === undefined || others.length > 0) throw misused(asked.given);
  return await ask(asked, readPosition(time, asked.now), question, object);
}

/** `at TIME QUESTION [OBJECT|PROXY|proxies]` */
async function ask(asked: Asked, position: Position, question: string, object: string | undefined): Promise<ExitCode> {
  if (object === "proxies" && question === "show") return await showProxies(asked, position);
  // An object has a kind and a name.
  if (object !== undefined && !object.includes("/")) return await askProxy(asked, position, question, object);
  const place = object === undefined ? undefined : placeNamed(object);
  if (question === "show") return await showObjects(asked, position, place);
  if (question === "diff") return await diffObjects(asked, position, place);
  if (question === "blame" && place !== undefined) return await blameLinesOf(asked, position, place);
  throw misused(asked.given);
}

/** From the flag, or from the variable that the server reads, too. */
function placeOf(given: ReadFlags, terminal: Terminal): string {
  const { history } = readOptionFlags(given, [historyFlag], terminal);
  if (history === "off")
    throw new MeshError("bad-option", "--history is missing: name the directory or the etcd of the server");
  return history;
}
