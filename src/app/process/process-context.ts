import { Metrics } from "../../admin/metrics/metrics.ts";
import type { Source } from "../../galley/source/source.ts";
import type { Logger } from "../../lib/logger.ts";
import { Supervisor } from "../../lib/supervisor.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { installBuildGauge } from "../gauges/build-gauge.ts";
import { installLogGauge } from "../gauges/log-gauge.ts";
import { installOverloadGauges } from "../gauges/overload-gauges.ts";
import { partFailures } from "../gauges/part-failures.ts";
import { installStallGauge } from "../gauges/stall-gauge.ts";
import type { LogFormat } from "../log/logger.ts";
import { LogScopes } from "../log/log-scopes.ts";
import { supervisedLogger } from "../log/supervised-logger.ts";
import type { Options } from "../options/options.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import type { SupervisedPart } from "../parts/supervised-parts.ts";
import type { ProtocolSettings } from "../pipeline.ts";
import { OverloadPart } from "../overload/overload-part.ts";
import type { PressureMeter } from "../overload/process-pressure.ts";
import { Watchdog } from "../watchdog/watchdog.ts";
import { FailureReport } from "./failure-report.ts";
import { Listeners } from "./listeners.ts";
import { ShownCertificates } from "./shown-certificates.ts";

/** Everything that a composition gets from its host, the command line or an embedding program. */
export interface HostContext {
  readonly clock: Clock;
  /** Receives every line that passes the level of its scope. */
  readonly logger: Logger;
  /** Lines that the logger has dropped so far. */
  readonly droppedLines?: () => number;
  /** The format of the log on stderr. Without it the log is elsewhere, and no watchdog runs. */
  readonly stderrFormat?: LogFormat;
  /** Measures the load of the process. Without it no work is shed. */
  readonly pressure?: PressureMeter;
  readonly version: string;
  readonly protocol?: ProtocolSettings;
  /** Sources of the embedding program, before those of the options. */
  readonly ownSources?: readonly Source[];
}

/** `jobs` names the components of Istio that this process replaces. */
export function processContextOf(options: Options, host: HostContext, jobs: readonly string[]): ProcessContext {
  const { clock, logger, droppedLines = () => 0, version } = host;
  const failureReport = new FailureReport();
  const supervisor = new Supervisor<SupervisedPart>({ clock, onFailure: failureReport.onFailure });
  const logs = new LogScopes(supervisedLogger(logger, supervisor.reporterFor("log")), options.logLevel);
  const metrics = new Metrics((metric, values) => supervisor.run(`metric ${metric}`, values));
  failureReport.attachDestinations({ logger: logs.logger("server"), failures: partFailures(metrics) });
  installBuildGauge(metrics, version, jobs);
  installLogGauge(metrics, droppedLines);
  const watchdog =
    host.stderrFormat &&
    new Watchdog({
      stallMs: options.watchdogMs,
      format: host.stderrFormat,
      clock: supervisor.clockFor("process health"),
      logger: logs.logger("server"),
    });
  const load = new OverloadPart({ supervisor, logger: logs.logger("server"), meter: host.pressure });
  installOverloadGauges(metrics, load.overload);
  installStallGauge(metrics, () => watchdog?.stalls ?? 0);
  const listeners = new Listeners();
  const certificates = new ShownCertificates();
  return { options, clock, logs, metrics, supervisor, listeners, certificates, version, watchdog, load };
}
