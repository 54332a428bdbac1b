import { FileWatch } from "../../galley/source/file/file-watch.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { ReloadSettings } from "../../transport/tls/reloaded-files.ts";

/** How files are watched that are read again when they change. */
export function watchedFiles(clock: Clock): Pick<ReloadSettings, "clock" | "openWatch"> {
  return { clock, openWatch: (onChange) => new FileWatch({ clock, onChange }) };
}
