import type { Command } from "./command.ts";
import { bootstrap } from "./commands/bootstrap.ts";
import { serve } from "./commands/serve.ts";
import { version } from "./commands/version.ts";

/** Every command, in the order of `binnacle --help`. */
export const commands: readonly Command[] = [serve, bootstrap, version];
