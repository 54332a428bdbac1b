import type { QuarantinePage } from "../../admin/pilot/quarantine-page.ts";
import { quarantineCommands } from "../../admin/pilot/quarantine-page.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { quarantineText } from "../quarantine/quarantine-text.ts";

const forms = ["text", "wide", "json", "yaml"] as const;
const flags: readonly DocumentedFlag[] = [serverFlag, outputFlag(forms)];
const words = ["list", ...quarantineCommands];
const expected = "list, retry, retry OBJECT or release OBJECT";

export const command: Command = {
  usage: "list|retry [OBJECT]|release OBJECT [flags]",
  flags,
  words,
  examples: [
    "quarantine list",
    "quarantine list -o wide",
    "quarantine list --server 127.0.0.1:8080 -o json",
    "quarantine retry",
    "quarantine retry EnvoyFilter/istio-system/lua",
    "quarantine release VirtualService/shop/reviews",
  ],
  problem: "list: an object is in quarantine; retry, release: the server refuses the command",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 1, atMost: 2 });
    const [word = "", object] = given.positionals;
    const body = bodyOf(word, object);
    const form = given.choice("output", forms);
    const server = given.value("server");
    const answer = await withServerProgress(server, terminal, () => fetchPage(server, "/debug/quarantine", { body }));
    // Our own page, which names its format.
    const page = answer as QuarantinePage;
    if (form === "text" || form === "wide") terminal.print(quarantineText(page, form));
    else terminal.printData(inNotation(page, form));
    return word === "list" && page.objects.length > 0 ? ExitCode.problem : ExitCode.ok;
  },
};

/** The form that the page gets; undefined to read it. Throws `bad-option`. */
function bodyOf(word: string, object: string | undefined): string | undefined {
  if (!words.includes(word)) throw new MeshError("bad-option", `${word}: expected ${expected}`);
  if (word === "list" && object !== undefined) throw new MeshError("bad-option", `list takes no OBJECT: ${object}`);
  if (word === "release" && object === undefined) throw new MeshError("bad-option", "release: which OBJECT?");
  if (word === "list") return undefined;
  return new URLSearchParams({ command: word, ...(object !== undefined && { object }) }).toString();
}
