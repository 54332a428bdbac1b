import type { Command } from "./command.ts";
import { analyze } from "./commands/analyze.ts";
import { apply } from "./commands/apply.ts";
import { bootstrap } from "./commands/bootstrap.ts";
import { remove } from "./commands/delete.ts";
import { describe } from "./commands/describe.ts";
import { explain } from "./commands/explain.ts";
import { fleet } from "./commands/fleet.ts";
import { galley } from "./commands/galley.ts";
import { get } from "./commands/get.ts";
import { pilot } from "./commands/pilot.ts";
import { probe } from "./commands/probe.ts";
import { proxyConfig } from "./commands/proxy-config.ts";
import { proxyStatus } from "./commands/proxy-status.ts";
import { serve } from "./commands/serve.ts";
import { sources } from "./commands/sources.ts";
import { translate } from "./commands/translate.ts";
import { validate } from "./commands/validate.ts";
import { version } from "./commands/version.ts";

/** Every command, in the order of `binnacle --help`. */
export const commands: readonly Command[] = [
  serve,
  galley,
  pilot,
  validate,
  analyze,
  translate,
  explain,
  proxyStatus,
  proxyConfig,
  sources,
  apply,
  get,
  remove,
  describe,
  bootstrap,
  fleet,
  probe,
  version,
];
